/** Swedish. */
import type { Language } from "../Language.ts"

export const sv: Language = {
  tag: "sv",
  sentences: {
    stillThere: ["Är du kvar?", "Hallå? Jag hör dig inte."],
    silenceGoodbye: "Jag hör dig inte, så jag avslutar samtalet nu. Hej då.",
    sayAgain: "Förlåt, kan du säga det en gång till?",
    lostThread: "Förlåt, jag tappade tråden ett ögonblick. Kan du säga det en gång till?",
    outOfOrder: "Jag är ledsen, något gick fel. Vi hör av oss. Hej då.",
    transferFailed: "Jag är ledsen, jag kunde inte koppla dig vidare.",
    handover: "En person väntar på dig i telefon. {reason} Tryck 1 för att ta samtalet.",
    recorded: "Samtalet spelas in.",
    takenOver: "Ett ögonblick. Jag kopplar dig till en kollega.",
    handedBack: "Jag är tillbaka. Ska vi fortsätta?",
    personLost: "Jag är ledsen, förbindelsen till min kollega bröts. Jag är tillbaka.",
    optedOut: "Jag förstår. Vi ringer inte igen. Ursäkta besväret. Hej då.",
    pressToOptOut: "Om du inte vill att vi ringer dig igen, tryck {key}.",
    timeIsUp: "Jag är ledsen, jag måste avsluta samtalet här. Hej då.",
    fillers: ["Ett ögonblick.", "Jag letar fortfarande.", "Bara en sekund.", "Tack för att du väntar, snart klar."],
  },
  keyNames: { star: "stjärna", hash: "fyrkant" },
  acknowledgements: [
    "mhm|hm|hmm|mm|ah|aha|jaha|oh|ja|jo|japp|okej|okay|ok|bra|precis|visst|tack|förstår|absolut",
    "(jag förstår|just det|tack så mycket)",
  ],
  stops: ["stopp|vänta|stanna|ursäkta|förlåt", "(nej nej|vänta lite|ett ögonblick)"],
  farewells: ["(hej då|ha det bra|det var allt|inget mer|inte intresserad)", "hejdå|adjö"],
  unfinished: ["och|eller|men|att|som|när|där|en|min|mitt|din|ditt|vår|av|från|är|jag|eh|öh"],
  answers: ["ja|nej|jo|hej|hallå|tack|visst|okej|ok|precis|(hej då)"],
  digits: ["noll|ett|två|tre|fyra|fem|sex|sju|åtta|nio|tio|punkt|streck"],
  optOuts: {
    phrases: [
      "ring (mig|oss|hit)? (aldrig|inte) (mig|oss|hit)? (mer|mera|igen|något mer)",
      "sluta att? ringa|kontakta",
      "(ta|tag|plocka) bort (mig|mitt nummer|mitt telefonnummer)",
      "(stryk|radera) (mig|mitt nummer)",
      "(vill|vill jag) inte (bli|att ni) * (uppringd|kontaktad|ringer)",
      "nixregistret|(nix telefon)",
    ],
    unlessTimed: ["ring (inte|aldrig) (mig|oss|hit)", "ring (mig|oss|hit) (inte|aldrig)"],
    times: ["före|innan|efter|tills|klockan|på|under|i|imorgon|idag|nu|medan"],
  },
  machines: {
    voicemail: [
      "efter (tonen|pipet|signalen)",
      "(lämna|tala in|lämnar) * (meddelande|namn)",
      "röstbrevlåda|röstbrevlådan|telefonsvarare|telefonsvararen|mobilsvar",
      "(inte tillgänglig|inte nås|kan inte nås|går inte att nå|inte anträffbar)",
      "kan inte (svara|ta emot)",
      "(du söker)",
    ],
    full: ["(röstbrevlådan|brevlådan) * full"],
    screening: [
      "(säg|ange|uppge) * (varför|anledning)",
      "namn * (varför|anledning)",
      "(säg|ange|uppge) * namn * (varför|anledning|ärende|ringer)",
    ],
    screened: ["(vänta kvar|stanna kvar på linjen|var god dröj|vänligen vänta)"],
    menu: [
      "(tryck|välj|slå) (på)? 0|1|2|3|4|5|6|7|8|9|noll|ett|två|tre|fyra|fem|sex|sju|åtta|nio|stjärna|fyrkant",
      "tryck",
      "för * ett|två|tre|fyra|fem|sex|sju|åtta|nio $",
    ],
    outOfService: ["numret|nummer * (inte i bruk|ingen abonnent|används inte|finns inte)"],
    hints: {
      screening: ["säg|ange|uppge", "namn", "varför|anledning|ringer", "dröj|vänta|kvar"],
      full: ["röstbrevlådan|brevlådan", "full", "meddelanden"],
      announcement: ["numret * ringt|slagit", "används|(i bruk)|abonnent"],
    },
  },
}
