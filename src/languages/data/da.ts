/** Danish. */
import type { Language } from "../Language.ts"

export const da: Language = {
  tag: "da",
  sentences: {
    stillThere: ["Er du der stadig?", "Hallo? Jeg kan ikke høre dig."],
    silenceGoodbye: "Jeg kan ikke høre dig, så jeg afslutter opkaldet nu. Farvel.",
    sayAgain: "Undskyld, kan du sige det igen?",
    lostThread: "Undskyld, jeg tabte tråden et øjeblik. Kan du sige det igen?",
    outOfOrder: "Beklager, der gik noget galt. Vi vender tilbage. Farvel.",
    transferFailed: "Beklager, jeg kunne ikke stille dig om.",
    handover: "En person venter på dig i telefonen. {reason} Tryk 1 for at tage samtalen.",
    recorded: "Samtalen bliver optaget.",
    takenOver: "Et øjeblik. Jeg stiller dig om til en kollega.",
    handedBack: "Jeg er tilbage. Skal vi fortsætte?",
    personLost: "Beklager, forbindelsen til min kollega gik tabt. Jeg er tilbage.",
    optedOut: "Det forstår jeg. Vi ringer ikke igen. Undskyld ulejligheden. Farvel.",
    pressToOptOut: "Hvis du ikke ønsker flere opkald fra os, så tryk på {key}.",
    timeIsUp: "Beklager, jeg er nødt til at afslutte opkaldet her. Farvel.",
    fillers: ["Et øjeblik.", "Jeg leder stadig.", "Lige et sekund.", "Tak fordi du venter, jeg er der næsten."],
  },
  keyNames: { star: "stjerne", hash: "firkant" },
  acknowledgements: [
    "mhm|hm|hmm|mm|ah|aha|nå|oh|ja|jo|okay|ok|godt|fint|præcis|rigtigt|tak|forstår",
    "(det forstår jeg|lige præcis|mange tak|i orden)",
  ],
  stops: ["stop|vent|undskyld", "(nej nej|vent lidt|et øjeblik)"],
  farewells: ["farvel|hej", "(hav det godt|det var alt|ikke mere|ikke interesseret)"],
  unfinished: ["og|eller|men|fordi|at|som|når|hvor|min|mit|din|dit|vores|fra|er|jeg|øh|øhm"],
  answers: ["ja|nej|jo|hej|hallo|tak|okay|ok|farvel"],
  digits: ["nul|en|et|to|tre|fire|fem|seks|syv|otte|ni|ti|punktum|bindestreg"],
  optOuts: {
    phrases: [
      "ring (til mig|til os|hertil|mig op)? (ikke|aldrig) (til mig|til os|hertil|mig op)? (mere|igen)",
      "(stop|hold op) med at (ringe|kontakte)",
      "(slet|fjern|stryg) (mig|mit nummer|mit telefonnummer)",
      "(vil|ønsker) ikke (ringes op|kontaktes|blive ringet op|have flere opkald)",
      "robinsonlisten",
    ],
    unlessTimed: ["ring (ikke|aldrig) (til mig|til os|hertil)"],
    times: ["før|efter|inden|indtil|klokken|på|under|i|imorgen|nu|mens"],
  },
  machines: {
    voicemail: [
      "efter (tonen|bippet|klartonen|signalet)",
      "(læg|indtal|efterlad) * (besked|navn)",
      "telefonsvarer|telefonsvareren|(voice mail)|voicemail",
      "(ikke tilgængelig|ikke træffes|kan ikke træffes|ikke til at træffe)",
      "kan ikke (tage|besvare|svare)",
    ],
    full: ["(telefonsvareren|postkassen) * fuld"],
    screening: [
      "(sig|oplys|angiv) * (hvorfor|årsag)",
      "navn * (hvorfor|årsag)",
      "(sig|oplys|angiv) * navn * (hvorfor|årsag|ringer)",
    ],
    screened: ["(bliv på linjen|bliv i røret|vent venligst)"],
    menu: [
      "(tryk|tast|vælg) (på)? 0|1|2|3|4|5|6|7|8|9|nul|en|et|to|tre|fire|fem|seks|syv|otte|ni|stjerne|firkant",
      "tryk|tast",
      "for * en|et|to|tre|fire|fem|seks|syv|otte|ni $",
    ],
    outOfService: ["nummer|nummeret * (ikke i brug|eksisterer ikke|findes ikke|ikke tilsluttet)"],
    hints: {
      screening: ["sig|oplys|angiv", "navn", "hvorfor|årsag|ringer", "linjen|røret|vent"],
      full: ["telefonsvareren|postkassen", "fuld", "(prøv igen)"],
      announcement: ["nummer|nummeret * kaldt|tastet", "brug|eksisterer|findes|tilsluttet"],
    },
  },
}
