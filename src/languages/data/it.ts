/** Italian. */
import type { Language } from "../Language.ts"

export const it: Language = {
  tag: "it",
  sentences: {
    stillThere: ["È ancora lì?", "Pronto? Non la sento."],
    silenceGoodbye: "Non la sento, quindi chiudo la chiamata. Arrivederci.",
    sayAgain: "Mi scusi, può ripetere?",
    lostThread: "Mi scusi, ho perso il filo per un momento. Può ripetere?",
    outOfOrder: "Mi dispiace, qualcosa è andato storto. La ricontatteremo. Arrivederci.",
    transferFailed: "Mi dispiace, non sono riuscito a trasferire la chiamata.",
    handover: "C'è una chiamata in attesa per lei. {reason} Prema 1 per prenderla.",
    recorded: "La chiamata è registrata.",
    takenOver: "Un momento, per favore. Le passo un collega.",
    handedBack: "Sono di nuovo con lei. Andiamo avanti?",
    personLost: "Mi dispiace, il collegamento con il collega si è interrotto. Sono di nuovo con lei.",
    optedOut: "Ho capito. Non la chiameremo più. Ci scusi per il disturbo. Arrivederci.",
    pressToOptOut: "Se non desidera ricevere altre nostre chiamate, prema {key}.",
    timeIsUp: "Mi dispiace, devo terminare qui la chiamata. Arrivederci.",
    fillers: [
      "Un momento, per favore.",
      "Sto ancora cercando.",
      "Solo un secondo.",
      "Grazie per l'attesa, ho quasi finito.",
    ],
  },
  keyNames: { star: "asterisco", hash: "cancelletto" },
  acknowledgements: [
    "mhm|hm|hmm|mm|ah|oh|sì|okay|ok|bene|certo|esatto|giusto|grazie|perfetto|capito|capisco",
    "(va bene|d'accordo|ho capito|molto bene)",
  ],
  stops: ["aspetti|aspetta|fermo|stop|scusi|scusa", "(no no|un momento|un attimo|un secondo)"],
  farewells: ["arrivederci|ciao|addio", "(a presto|buona giornata|buona serata|è tutto|nient'altro|non mi interessa)"],
  unfinished: [
    "e|o|ma|perché|che|se|quando|dove|il|lo|la|i|gli|le|una|di|del|della|da|dal|in|nel|con|per|su|a|al|mio|mia|suo|sua|è|sono|io|ehm|cioè",
  ],
  answers: ["sì|no|certo|ok|pronto|ciao|grazie|esatto|(va bene)"],
  digits: ["zero|uno|due|tre|quattro|cinque|sei|sette|otto|nove|dieci|punto|trattino|chiocciola"],
  optOuts: {
    phrases: [
      "non mi|ci (chiami|chiamate|chiamare|chiamino|richiami|richiamate|contatti|contattate|telefoni|telefonate) (più|mai più|di nuovo)",
      "non (chiamatemi|chiamarmi|chiamateci|richiamatemi|contattatemi|telefonatemi|chiamare) (più|mai più)",
      "(smetta|smettete|smetti|smettetela|smettila|finitela) (di|con il) (chiamare|chiamarmi|chiamarci|telefonare|telefonarmi)",
      "non voglio più? (essere chiamato|essere chiamata|essere contattato|essere contattata)",
      "non voglio più? ricevere * (chiamate|telefonate)",
      "(tolga|togliete|togli|cancelli|cancellate|cancella|rimuova|rimuovete|rimuovi|elimini|eliminate) * (mio numero|elenco|lista)",
      "(toglietemi|cancellatemi|rimuovetemi|mi tolga|mi cancelli) * (elenco|lista)",
      "registro delle opposizioni",
    ],
    unlessTimed: ["non mi|ci (chiami|chiamate|contatti|contattate|telefoni|telefonate)", "non (chiamatemi|chiamarmi)"],
    times: ["prima|dopo|fino|alle|alla|a|domani|oggi|adesso|ora|mentre|in|durante"],
  },
  machines: {
    voicemail: [
      "dopo il (segnale|segnale acustico|bip|tono)",
      "(lasciate|lasci|lascia|lasciare) * (messaggio|nome)",
      "(segreteria telefonica|segreteria|casella vocale)",
      "(non è|non sono|non siamo) * (disponibile|disponibili|raggiungibile)",
      "non (posso|può|possiamo) (rispondere|risponderle|risponderti)",
      "posso rispondere",
    ],
    full: ["(segreteria|casella) * piena"],
    screening: [
      "(dica|dire|indichi) * motivo",
      "nome * motivo",
      "(dica|dire|indichi) * nome * (motivo|perché|chiamata)",
    ],
    screened: ["(resti in linea|rimanga in linea|attenda in linea)"],
    menu: [
      "(prema|premere|premi|digiti|digitare|digita) (il|il tasto|tasto)? 0|1|2|3|4|5|6|7|8|9|zero|uno|due|tre|quattro|cinque|sei|sette|otto|nove|asterisco|cancelletto",
      "prema|digiti",
      "per * uno|due|tre|quattro|cinque|sei|sette|otto|nove $",
    ],
    outOfService: ["numero * (inesistente|non è attivo|non esiste|non è attribuito|non risulta attivo)"],
    hints: {
      screening: ["dica|indichi", "nome", "motivo|chiamata", "linea"],
      full: ["vocale|casella|segreteria", "piena", "cliente"],
      announcement: ["selezionato|composto|(da lei chiamato)", "inesistente|attivo|esiste|attribuito"],
    },
  },
}
