/** French. */
import type { Language } from "../Language.ts"

export const fr: Language = {
  tag: "fr",
  sentences: {
    stillThere: ["Vous êtes toujours là ?", "Allô ? Je ne vous entends pas."],
    silenceGoodbye: "Je ne vous entends pas, je vais donc mettre fin à l'appel. Au revoir.",
    sayAgain: "Excusez-moi, pourriez-vous répéter ?",
    lostThread: "Excusez-moi, j'ai perdu le fil un instant. Pourriez-vous répéter ?",
    outOfOrder: "Je suis désolé, un problème est survenu. Nous vous recontacterons. Au revoir.",
    transferFailed: "Je suis désolé, je n'ai pas pu transférer votre appel.",
    handover: "Un appel vous attend. {reason} Appuyez sur 1 pour le prendre.",
    recorded: "L'appel est enregistré.",
    takenOver: "Un instant, s'il vous plaît. Je vous passe un collègue.",
    handedBack: "Je suis de nouveau avec vous. On continue ?",
    personLost: "Je suis désolé, la liaison avec mon collègue a été coupée. Je suis de nouveau avec vous.",
    optedOut: "C'est compris. Nous ne vous appellerons plus. Veuillez nous excuser pour le dérangement. Au revoir.",
    pressToOptOut: "Si vous ne souhaitez plus recevoir nos appels, appuyez sur {key}.",
    timeIsUp: "Je suis désolé, je dois mettre fin à l'appel. Au revoir.",
    fillers: [
      "Un instant, s'il vous plaît.",
      "Je cherche encore.",
      "Encore une seconde.",
      "Merci de patienter, j'ai presque fini.",
    ],
  },
  keyNames: { star: "étoile", hash: "dièse" },
  acknowledgements: [
    "mhm|hm|hmm|mm|ah|oh|oui|ouais|okay|ok|bien|bon|merci|voilà|exact|exactement|parfait",
    "(d'accord|très bien|je vois|bien sûr|ça marche|c'est ça)",
  ],
  stops: ["stop|attendez|attends|arrêtez|arrête|pardon", "(non non|un instant|une seconde|un moment|excusez moi)"],
  farewells: [
    "(au revoir|bonne journée|bonne soirée|à bientôt|c'est tout|ce sera tout|pas intéressé|pas intéressée)",
    "salut",
  ],
  unfinished: [
    "et|ou|mais|que|qui|quand|où|car|donc|si|le|la|les|une|des|du|de|au|aux|à|en|avec|pour|par|sur|dans|chez|mon|ma|mes|votre|vos|notre|nos|est|sont|je|c'est|j'ai|euh|ben",
  ],
  answers: ["oui|non|si|ouais|d'accord|ok|bonjour|bonsoir|allô|merci|exact|(au revoir)"],
  digits: ["zéro|un|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|point|tiret|arobase"],
  optOuts: {
    phrases: [
      "(m'appelez|m'appelle|nous appelez|me rappelez|me rappelle|me contactez|me téléphonez|rappelez|appelez) (plus|jamais|plus jamais)",
      "(plus|plus jamais|jamais) (m'appeler|nous appeler|me rappeler|me contacter|me téléphoner|nous contacter)",
      "arrêtez|arrête|cessez|cesse de (m'appeler|nous appeler|me rappeler|me contacter|me téléphoner|nous contacter|appeler)",
      "(ne plus|plus jamais) être (appelé|appelée|contacté|contactée|rappelé|rappelée|démarché|démarchée)",
      "retirez|enlevez|supprimez|rayez|effacez|retire|enlève (moi|mon numéro|mes coordonnées)",
      "bloctel",
    ],
    unlessTimed: ["(m'appelez|m'appelle|nous appelez|me contactez|me téléphonez) pas"],
    times: ["avant|après|à|au|aux|pendant|demain|aujourd'hui|maintenant|ce|cet|cette|en|quand"],
  },
  machines: {
    voicemail: [
      "après le (bip|signal|signal sonore|top)",
      "laissez|laisser * (message|nom|coordonnées)",
      "(messagerie vocale|boîte vocale|messagerie|répondeur)",
      "(n'est pas|ne suis pas|ne sommes pas|pas) (disponible|disponibles|joignable)",
      "(ne peux|ne peut|ne pouvons) pas (répondre|prendre|vous répondre)",
    ],
    full: ["(correspondant|boîte) * (pleine|saturée)", "(messagerie|boîte) * (pleine|saturée)"],
    screening: [
      "(dites|donnez|indiquez) * (raison|motif)",
      "nom * (raison|motif)",
      "(dites|donnez|indiquez) * nom * (raison|motif|pourquoi|appel)",
      "(filtrage des appels|filtrage d'appel)",
    ],
    screened: ["(ne quittez pas|restez en ligne|veuillez patienter)"],
    menu: [
      "(tapez|appuyez sur|faites|composez) (le|la touche)? 0|1|2|3|4|5|6|7|8|9|zéro|un|deux|trois|quatre|cinq|six|sept|huit|neuf|étoile|dièse",
      "tapez|appuyez",
      "pour * un|deux|trois|quatre|cinq|six|sept|huit|neuf $",
    ],
    outOfService: ["numéro * (n'est pas attribué|n'est plus attribué|n'existe pas|n'est plus en service)"],
    hints: {
      screening: ["dites|donnez|indiquez", "nom", "raison|motif|appel", "quittez|patienter"],
      full: ["messagerie|boîte|correspondant", "pleine|saturée", "(au revoir)"],
      announcement: ["demandé|composé", "attribué|existe|(en service)"],
    },
  },
}
