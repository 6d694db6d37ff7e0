/** German. */
import type { Language } from "../Language.ts"

export const de: Language = {
  tag: "de",
  sentences: {
    stillThere: ["Sind Sie noch da?", "Hallo? Ich kann Sie nicht hören."],
    silenceGoodbye: "Ich kann Sie nicht hören und beende deshalb das Gespräch. Auf Wiederhören.",
    sayAgain: "Entschuldigung, können Sie das bitte noch einmal sagen?",
    lostThread: "Entschuldigung, ich habe kurz den Faden verloren. Können Sie das bitte noch einmal sagen?",
    outOfOrder: "Es tut mir leid, hier ist etwas schiefgegangen. Wir melden uns bei Ihnen. Auf Wiederhören.",
    transferFailed: "Es tut mir leid, ich konnte Sie nicht verbinden.",
    handover: "Ein Anrufer wartet auf Sie. {reason} Drücken Sie die 1, um das Gespräch anzunehmen.",
    recorded: "Das Gespräch wird aufgezeichnet.",
    takenOver: "Einen Moment, bitte. Ich verbinde Sie mit einem Kollegen.",
    handedBack: "Ich bin wieder für Sie da. Wollen wir weitermachen?",
    personLost: "Es tut mir leid, die Verbindung zu meinem Kollegen ist abgebrochen. Ich bin wieder für Sie da.",
    optedOut: "Ich verstehe. Wir rufen Sie nicht mehr an. Bitte entschuldigen Sie die Störung. Auf Wiederhören.",
    pressToOptOut: "Wenn Sie keine weiteren Anrufe von uns wünschen, drücken Sie die {key}.",
    timeIsUp: "Es tut mir leid, ich muss das Gespräch hier beenden. Auf Wiederhören.",
    fillers: [
      "Einen Moment, bitte.",
      "Ich sehe noch nach.",
      "Nur eine Sekunde.",
      "Danke für Ihre Geduld, gleich habe ich es.",
    ],
  },
  keyNames: { star: "Sterntaste", hash: "Rautetaste" },
  acknowledgements: [
    "mhm|hm|hmm|mm|ah|aha|ach|oh|ja|jo|jawohl|okay|ok|gut|genau|richtig|klar|sicher|stimmt|schön|prima|danke|verstehe",
    "(ach so|alles klar|in ordnung|vielen dank|m hm)",
  ],
  stops: ["stopp|stop|halt|moment|warten|warte", "(nein nein|warten sie|einen moment|eine sekunde|entschuldigen sie)"],
  farewells: ["tschüss|tschüs|tschau|ciao|wiederhören|wiedersehen", "(das war alles|das wars|kein interesse)"],
  unfinished: [
    "und|oder|aber|weil|dass|wenn|ob|der|die|das|den|dem|des|eine|einen|einem|einer|mein|meine|meinen|ihre|unsere|von|zum|zur|für|bei|beim|im|am|vom|in|ist|sind|war|ich|er|wir|äh|ähm|also",
  ],
  answers: ["ja|nein|jo|nö|klar|gut|okay|ok|richtig|genau|stimmt|hallo|tschüss|danke|(vielen dank)"],
  digits: ["null|eins|zwei|zwo|drei|vier|fünf|sechs|sieben|acht|neun|zehn|doppel|punkt|minus|bindestrich|unterstrich"],
  optOuts: {
    phrases: [
      "rufen|rufe|ruf * (nicht mehr|nie mehr|nie wieder|niemals mehr|niemals wieder) * an",
      "(nicht mehr|nie mehr|nie wieder) anrufen|anruft|(angerufen werden)|kontaktieren",
      "(nicht mehr|nie wieder) * angerufen",
      "keine anrufe mehr",
      "(hören sie auf|hör auf|hört auf) * anzurufen",
      "(streichen|streich|löschen|lösch|entfernen|entferne) sie? (mich|meine nummer|meine telefonnummer)",
      "(nehmen|nimm) sie? (mich|meine nummer|meine telefonnummer) * (runter|raus|heraus)",
      "(nehmen|nimm) sie? (mich|meine nummer|meine telefonnummer) * von|aus * liste|anrufliste|telefonliste|kartei|verteiler|datenbank|system",
      "(meine nummer|meine telefonnummer) * (löschen|streichen|entfernen)",
      "robinsonliste",
    ],
    unlessTimed: ["rufen|rufe|ruf sie? mich|uns|hier bitte? nicht an", "nicht anrufen $"],
    times: ["vor|nach|bis|ab|um|am|im|während|heute|morgen|jetzt|gerade"],
  },
  machines: {
    voicemail: [
      "nach dem (signalton|piepton|ton|signal|piep)",
      "(hinterlassen|hinterlasst|sprechen) * (nachricht|nachricht auf|name|namen)",
      "mailbox|anrufbeantworter|sprachbox|(voice mail)|voicemail",
      "(nicht erreichbar|momentan nicht erreichbar|zurzeit nicht erreichbar|nicht zu erreichen|nicht verfügbar)",
      "ist|sind|bin * nicht erreichbar",
    ],
    full: ["(mailbox|anrufbeantworter|speicher) * voll", "keine nachrichten * (aufgenommen|hinterlassen)"],
    screening: [
      "(nennen|sagen) sie? * grund",
      "namen * grund",
      "(nennen|sagen) sie? * namen * (grund|warum|weshalb|worum|anruf|anrufs)",
      "(wer sind sie|wer ruft an) und (warum|weshalb)",
    ],
    screened: ["(bleiben sie|bitte bleiben sie) * (dran|in der leitung|am apparat)", "sie werden verbunden"],
    menu: [
      "(drücken|wählen) sie bitte? (die|die taste)? 0|1|2|3|4|5|6|7|8|9|null|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|raute|rautetaste|sterntaste",
      "für * (drücken|wählen) sie",
      "drücken",
      "für * null|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun $",
    ],
    outOfService: [
      "rufnummer|nummer * (nicht vergeben|nicht bekannt|existiert nicht)",
      "kein anschluss unter dieser nummer",
    ],
    hints: {
      screening: ["nennen|sagen", "namen|name", "grund|warum|weshalb|anrufs|anliegen", "(bleiben sie)|dran"],
      full: ["mailbox|anrufbeantworter|speicher|sprachbox", "voll", "nachrichten", "(auf wiederhören)"],
      announcement: ["gewählte|gewählten", "vergeben|anschluss|(nicht bekannt)", "auskunft"],
    },
  },
}
