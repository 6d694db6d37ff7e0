/** Dutch. */
import type { Language } from "../Language.ts"

export const nl: Language = {
  tag: "nl",
  sentences: {
    stillThere: ["Bent u er nog?", "Hallo? Ik hoor u niet."],
    silenceGoodbye: "Ik hoor u niet, dus ik beëindig het gesprek. Tot ziens.",
    sayAgain: "Sorry, kunt u dat nog eens zeggen?",
    lostThread: "Sorry, ik was de draad even kwijt. Kunt u dat nog eens zeggen?",
    outOfOrder: "Het spijt me, er ging iets mis. We nemen contact met u op. Tot ziens.",
    transferFailed: "Het spijt me, ik kon u niet doorverbinden.",
    handover: "Er wacht een beller op u. {reason} Druk op 1 om het gesprek aan te nemen.",
    recorded: "Het gesprek wordt opgenomen.",
    takenOver: "Een moment, alstublieft. Ik verbind u door met een collega.",
    handedBack: "Ik ben er weer. Zullen we verdergaan?",
    personLost: "Het spijt me, de verbinding met mijn collega is verbroken. Ik ben er weer.",
    optedOut: "Ik begrijp het. We bellen u niet meer. Excuses voor het ongemak. Tot ziens.",
    pressToOptOut: "Wilt u van ons geen telefoontjes meer ontvangen, toets dan {key}.",
    timeIsUp: "Het spijt me, ik moet het gesprek hier beëindigen. Tot ziens.",
    fillers: [
      "Een ogenblik, alstublieft.",
      "Ik ben het nog aan het opzoeken.",
      "Een seconde.",
      "Bedankt voor het wachten, ik ben er bijna.",
    ],
  },
  keyNames: { star: "sterretje", hash: "hekje" },
  acknowledgements: [
    "mhm|hm|hmm|mm|ah|aha|oh|ja|jawel|oké|okay|ok|goed|prima|juist|precies|klopt|zeker|bedankt|begrijp",
    "(dank u|dank je|ik begrijp het|is goed|ik snap het)",
  ],
  stops: ["stop|wacht|ho|sorry|pardon", "(nee nee|wacht even|een moment|momentje)"],
  farewells: ["doei|dag", "(tot ziens|fijne dag|dat was alles|dat is alles|verder niets|geen interesse)"],
  unfinished: ["en|of|maar|omdat|dat|als|wie|waar|de|het|mijn|uw|onze|van|naar|met|bij|is|zijn|ik|eh|uh|ehm|dus"],
  answers: ["ja|nee|hallo|dag|bedankt|prima|klopt|oké|ok|(dank u|dank je)"],
  digits: ["nul|een|twee|drie|vier|vijf|zes|zeven|acht|negen|tien|punt|streepje"],
  optOuts: {
    phrases: [
      "bel|belt * (niet meer|nooit meer|niet weer|nooit weer|niet opnieuw)",
      "(niet meer|nooit meer) * (bellen|gebeld worden|gebeld)",
      "(stop|stopt|stoppen) (met|ermee) * bellen",
      "(hou|houd|houdt) * op met * bellen",
      "(verwijder|schrap|verwijdert) (mij|me|mijn nummer|mijn telefoonnummer)",
      "(haal|haalt) (mij|me|mijn nummer|mijn telefoonnummer) * uit|van|af|weg",
      "bel me niet register",
    ],
    unlessTimed: ["bel|belt u? (mij|me|ons) (alstublieft|alsjeblieft)? niet"],
    times: ["voor|na|tot|om|op|in|vandaag|morgen|nu|tijdens|terwijl|zolang"],
  },
  machines: {
    voicemail: [
      "na de (piep|toon|pieptoon|bieptoon)",
      "(laat|spreek|spreekt|inspreken) * (bericht|boodschap|naam)",
      "voicemail|antwoordapparaat",
      "(niet bereikbaar|niet beschikbaar|niet aanwezig)",
      "kan|kunnen * niet (opnemen|beantwoorden|aannemen)",
    ],
    full: ["(voicemail|mailbox) * vol"],
    screening: ["(zeg|noem|geef) * reden", "naam * reden", "(zeg|noem|geef) * naam * (reden|waarom|gesprek)"],
    screened: ["(blijf aan de lijn|blijft u aan de lijn|even geduld)"],
    menu: [
      "(toets|toetst u|druk|druk op|kies|kiest u) (een)? 0|1|2|3|4|5|6|7|8|9|nul|een|twee|drie|vier|vijf|zes|zeven|acht|negen|sterretje|hekje",
      "toets|toetst",
      "voor * een|twee|drie|vier|vijf|zes|zeven|acht|negen $",
    ],
    outOfService: ["nummer * (niet in gebruik|niet aangesloten|bestaat niet|buiten gebruik)"],
    hints: {
      screening: ["zeg|noem|geef", "naam", "reden|gesprek|waarom", "lijn|geduld"],
      full: ["voicemail|mailbox|(dit nummer)", "vol"],
      announcement: ["gekozen", "gebruik|aangesloten|bestaat"],
    },
  },
}
