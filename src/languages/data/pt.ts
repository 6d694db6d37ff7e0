/** Portuguese. */
import type { Language } from "../Language.ts"

export const pt: Language = {
  tag: "pt",
  sentences: {
    stillThere: ["Ainda está aí?", "Alô? Não consigo ouvir."],
    silenceGoodbye: "Não consigo ouvir, por isso vou encerrar a chamada. Até logo.",
    sayAgain: "Desculpe, pode repetir?",
    lostThread: "Desculpe, perdi o fio por um momento. Pode repetir?",
    outOfOrder: "Lamento, algo correu mal. Entraremos em contato. Até logo.",
    transferFailed: "Lamento, não consegui transferir a chamada.",
    handover: "Há uma chamada à sua espera. {reason} Prima 1 para a atender.",
    recorded: "A chamada está a ser gravada.",
    takenOver: "Um momento, por favor. Vou passar a um colega.",
    handedBack: "Estou de volta. Continuamos?",
    personLost: "Lamento, perdeu-se a ligação ao meu colega. Estou de volta.",
    optedOut: "Entendido. Não voltaremos a ligar. Desculpe o incômodo. Até logo.",
    pressToOptOut: "Se não quiser receber mais chamadas nossas, prima {key}.",
    timeIsUp: "Lamento, tenho de encerrar a chamada aqui. Até logo.",
    fillers: [
      "Um momento, por favor.",
      "Ainda estou verificando.",
      "Só um segundo.",
      "Obrigado por esperar, está quase.",
    ],
  },
  keyNames: { star: "asterisco", hash: "cardinal" },
  acknowledgements: [
    "mhm|hm|hmm|mm|ah|aham|oh|sim|okay|ok|bom|bem|certo|claro|exato|obrigado|obrigada|perfeito|entendi|pois|tá",
    "(está bem|tudo bem|muito bem|pois é)",
  ],
  stops: ["espere|espera|pare|para|calma|desculpe", "(não não|um momento|um segundo|um instante)"],
  farewells: ["tchau|adeus", "(até logo|até mais|é tudo|é só isso|mais nada|não tenho interesse)"],
  unfinished: [
    "e|ou|mas|porque|que|se|quando|onde|o|a|os|as|de|do|da|em|no|na|com|por|para|meu|minha|seu|sua|é|são|eu|hum",
  ],
  answers: ["sim|não|claro|certo|ok|alô|olá|obrigado|obrigada|tchau"],
  digits: ["zero|um|uma|dois|duas|três|quatro|cinco|seis|meia|sete|oito|nove|dez|ponto|traço|arroba"],
  optOuts: {
    phrases: [
      "não me|nos? (ligue|ligues|liguem|liga|telefone|telefonem|contate|contatem|contacte|contactem) (mais|nunca mais|de novo|outra vez|novamente)",
      "nunca mais me|nos? (ligue|ligues|liguem|liga|telefone|telefonem|contate|contacte)",
      "(pare|parem|para|deixe|deixem) de me|nos? (ligar|telefonar|contatar|contactar|chamar)",
      "não quero mais? receber * (ligações|chamadas|telefonemas)",
      "não quero que me|nos? (liguem|ligue|telefonem|contactem) * mais",
      "(retire|retirem|remova|removam|apague|apaguem|tire|tirem|exclua|excluam) * (meu número|meu telefone|minha linha|lista)",
    ],
    unlessTimed: ["não me|nos (ligue|liguem|liga|telefone|telefonem|contate|contacte)"],
    times: ["antes|depois|até|às|as|à|a|amanhã|hoje|agora|durante|no|na|em|enquanto"],
  },
  machines: {
    voicemail: [
      "(após|depois) (o sinal|do sinal|do bip|o bip|o tom|do tom)",
      "(deixe|deixar|deixa) * (mensagem|recado|nome)",
      "(caixa postal|correio de voz|caixa de mensagens|secretária eletrônica|voice mail|voicemail)",
      "(não está|não estou|não estamos|não se encontra) disponível",
      "não (posso|pode|podemos) (atender|responder)",
      "atender agora",
    ],
    full: ["(caixa postal|caixa|correio de voz) * (cheia|cheio|lotada)"],
    screening: [
      "(diga|indique|informe) * motivo",
      "nome * motivo",
      "(diga|indique|informe) * nome * (motivo|razão|ligação|chamada)",
    ],
    screened: ["(não desligue|permaneça na linha|aguarde na linha|fique na linha)"],
    menu: [
      "(tecle|digite|pressione|aperte|marque|prima) (o|a tecla)? 0|1|2|3|4|5|6|7|8|9|zero|um|dois|três|quatro|cinco|seis|sete|oito|nove|asterisco|cardinal",
      "tecle|digite|pressione",
      "para * um|dois|três|quatro|cinco|seis|sete|oito|nove $",
    ],
    outOfService: ["número * (não existe|não está atribuído|inexistente|não está em serviço)"],
    hints: {
      screening: ["diga|indique|informe", "nome", "motivo|razão|ligação|chamada", "desligue|linha|aguarde"],
      full: ["caixa|postal|correio", "cheia|lotada", "(receber mensagens)|mensagens"],
      announcement: ["discado|ligou", "existe|atribuído|inexistente|(em serviço)", "verifique"],
    },
  },
}
