/** Spanish. */
import type { Language } from "../Language.ts"

export const es: Language = {
  tag: "es",
  sentences: {
    stillThere: ["¿Sigue ahí?", "¿Hola? No le oigo."],
    silenceGoodbye: "No le oigo, así que voy a terminar la llamada. Adiós.",
    sayAgain: "Disculpe, ¿podría repetirlo?",
    lostThread: "Disculpe, he perdido el hilo un momento. ¿Podría repetirlo?",
    outOfOrder: "Lo siento, ha habido un problema. Nos pondremos en contacto con usted. Adiós.",
    transferFailed: "Lo siento, no he podido pasarle la llamada.",
    handover: "Hay una llamada en espera para usted. {reason} Pulse 1 para atenderla.",
    recorded: "La llamada se está grabando.",
    takenOver: "Un momento, por favor. Le paso con un compañero.",
    handedBack: "Ya estoy de vuelta. ¿Seguimos?",
    personLost: "Lo siento, se ha perdido la conexión con mi compañero. Ya estoy de vuelta.",
    optedOut: "Entiendo. No volveremos a llamarle. Disculpe las molestias. Adiós.",
    timeIsUp: "Lo siento, tengo que terminar la llamada aquí. Adiós.",
    fillers: [
      "Un momento, por favor.",
      "Todavía lo estoy buscando.",
      "Un segundo.",
      "Gracias por esperar, ya casi está.",
    ],
  },
  acknowledgements: [
    "mhm|hm|hmm|mm|ah|ajá|aja|oh|sí|okay|ok|vale|bien|bueno|claro|gracias|exacto|correcto|perfecto|entiendo|dale",
    "(de acuerdo|muy bien|ya veo|por supuesto|está bien)",
  ],
  stops: ["espere|espera|pare|para|alto|perdone|disculpe", "(no no|un momento|un segundo)"],
  farewells: ["adiós|chao|chau", "(hasta luego|hasta pronto|eso es todo|nada más|no me interesa)"],
  unfinished: [
    "y|o|pero|porque|que|si|cuando|donde|el|la|los|las|una|unos|unas|de|del|a|al|en|con|por|para|sobre|mi|mis|su|sus|nuestro|nuestra|es|son|soy|yo|eh|este|pues",
  ],
  answers: ["sí|no|claro|vale|bueno|hola|diga|adiós|gracias|correcto|exacto"],
  digits: ["cero|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|punto|guion|arroba"],
  optOuts: {
    phrases: [
      "no me|nos (llame|llames|llamen|contacte|contactes|contacten|telefonee) (más|nunca|nunca más|otra vez|jamás|de nuevo)",
      "no me|nos vuelva|vuelvas|vuelvan a (llamar|contactar)",
      "no vuelva|vuelvas|vuelvan a (llamar|llamarme|llamarnos|contactarme|contactarnos)",
      "deje|dejen|deja|dejad de (llamar|llamarme|llamarnos|contactarme)",
      "no quiero|queremos|deseo que me|nos * (llamen|llame|llames|contacten|llamar)",
      "no quiero|queremos|deseo recibir? más llamadas",
      "nunca más me|nos (llame|llames|llamen)",
      "(borre|borren|borra|elimine|eliminen|elimina|quite|quiten|quita|saque|saquen|saca) * (mi número|mi teléfono)",
      "(bórreme|bórrenme|elimíneme|elimínenme|quíteme|quítenme|sáqueme|sáquenme) * (lista|base)",
      "lista robinson",
    ],
    unlessTimed: ["no me|nos (llame|llames|llamen|contacte|contacten)"],
    times: ["antes|después|hasta|a|al|las|mañana|hoy|ahora|durante|en|mientras|por"],
  },
  machines: {
    voicemail: [
      "(después|luego|tras) (de la señal|del tono|del bip|la señal|el tono)",
      "(deje|dejar|deja|déjenos|déjeme) * (mensaje|nombre)",
      "(buzón de voz|contestador|buzón)",
      "(no está|no estoy|no estamos|no se encuentra) disponible|disponibles",
      "no (puedo|puede|podemos) (atender|contestar|atenderle|atenderte|responder)",
      "(desea comunicarse)",
    ],
    full: ["buzón * lleno"],
    screening: [
      "(diga|indique|di) * motivo",
      "nombre * motivo",
      "(diga|indique|di) * nombre * (motivo|razón|llamada|qué)",
      "(filtro de llamadas|filtrado de llamadas)",
    ],
    screened: ["(no cuelgue|no cuelgues|permanezca en línea|manténgase en línea|espere en línea)"],
    menu: [
      "(pulse|marque|presione|oprima) (el|el número|la tecla)? 0|1|2|3|4|5|6|7|8|9|cero|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|asterisco|almohadilla",
      "pulse|presione|oprima",
      "para * uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve $",
    ],
    outOfService: ["número * (no existe|no está asignado|no corresponde|fuera de servicio|no está en servicio)"],
    hints: {
      screening: ["diga|indique", "nombre", "motivo|razón|llamada", "cuelgue|línea"],
      full: ["buzón|(de voz)", "lleno", "mensajes"],
      announcement: ["número * marcado|(que llama)", "existe|asignado|(de servicio)"],
    },
  },
}
