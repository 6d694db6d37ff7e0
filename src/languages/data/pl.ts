/** Polish. */
import type { Language } from "../Language.ts"

export const pl: Language = {
  tag: "pl",
  sentences: {
    stillThere: ["Czy jest Pan lub Pani nadal na linii?", "Halo? Nie słyszę."],
    silenceGoodbye: "Nie słyszę, więc kończę rozmowę. Do widzenia.",
    sayAgain: "Przepraszam, proszę powtórzyć.",
    lostThread: "Przepraszam, na chwilę zgubił mi się wątek. Proszę powtórzyć.",
    outOfOrder: "Przepraszam, coś poszło nie tak. Skontaktujemy się. Do widzenia.",
    transferFailed: "Przepraszam, nie udało się przełączyć rozmowy.",
    handover: "Czeka na Państwa rozmówca. {reason} Aby odebrać rozmowę, proszę nacisnąć 1.",
    recorded: "Rozmowa jest nagrywana.",
    takenOver: "Chwileczkę, proszę. Łączę z moim współpracownikiem.",
    handedBack: "Jestem z powrotem. Czy możemy kontynuować?",
    personLost: "Przepraszam, połączenie ze współpracownikiem zostało przerwane. Jestem z powrotem.",
    optedOut: "Rozumiem. Nie będziemy więcej dzwonić. Przepraszam za kłopot. Do widzenia.",
    pressToOptOut: "Jeśli nie życzą sobie Państwo kolejnych telefonów od nas, proszę nacisnąć {key}.",
    timeIsUp: "Przepraszam, muszę tu zakończyć rozmowę. Do widzenia.",
    fillers: ["Chwileczkę, proszę.", "Jeszcze sprawdzam.", "Jedną sekundę.", "Dziękuję za cierpliwość, już prawie."],
  },
  keyNames: { star: "gwiazdkę", hash: "krzyżyk" },
  acknowledgements: [
    "mhm|yhm|hm|hmm|mm|aha|ach|oh|tak|no|okej|okay|ok|dobrze|dobra|jasne|racja|dokładnie|dziękuję|rozumiem|oczywiście",
    "(no tak|w porządku|zgadza się)",
  ],
  stops: ["stop|czekaj|chwila|moment|chwileczkę|przepraszam", "(nie nie|proszę poczekać|proszę czekać)"],
  farewells: [
    "(do widzenia|do usłyszenia|to wszystko|nic więcej|nie jestem zainteresowany|nie jestem zainteresowana)",
    "cześć|pa",
  ],
  unfinished: [
    "i|oraz|albo|lub|ale|bo|że|żeby|jeśli|gdy|kiedy|gdzie|który|która|w|we|z|ze|na|do|od|po|o|u|dla|przez|przy|mój|moja|jest|są|ja|eee|yyy",
  ],
  answers: ["tak|nie|dobrze|jasne|halo|dziękuję|dokładnie|cześć|okej|ok"],
  digits: ["zero|jeden|dwa|trzy|cztery|pięć|sześć|siedem|osiem|dziewięć|dziesięć|kropka|myślnik|małpa"],
  optOuts: {
    phrases: [
      "(więcej|już|nigdy|nigdy więcej|już nigdy|nigdy już|ponownie) (do mnie|do nas|tu|tutaj|na ten numer|już)? nie (dzwoń|dzwońcie|dzwonić|dzwonił|dzwoniła|dzwonili)",
      "nie (dzwoń|dzwońcie|dzwonić|dzwonili) (do mnie|do nas|tu|tutaj|na ten numer|pod ten numer)? (więcej|nigdy|już|ponownie|nigdy więcej|już nigdy)",
      "niech (pan|pani|państwo) (więcej|już|nigdy|już nigdy|nigdy więcej) (do mnie|do nas|tu|tutaj)? nie (dzwoni|dzwonią)",
      "niech (pan|pani|państwo) (do mnie|do nas|tu|tutaj)? (więcej|już|nigdy|już nigdy|nigdy więcej)? nie (dzwoni|dzwonią) (do mnie|do nas|tu|tutaj)? (więcej|już|nigdy)",
      "(przestań|przestańcie|przestać|przestaniecie|przestaną) (już|wreszcie)? (do mnie|do nas|tu|tutaj|mnie|nas)? (dzwonić|wydzwaniać|nękać|niepokoić)",
      "(usunąć|usuńcie|usuń|wykreślić|wykreślcie|wykreśl|skasować|skasujcie|skasuj|skreślić|skreślcie|wypisać|wypiszcie|wymazać|wymażcie|zapomnijcie|zapomnieć) (o)? (mój|mnie|nas|ten|moje|nasz|mojego) (numer|numerze|telefon|dane|nazwisko)?",
      "(mnie|nas|mój numer|ten numer) (usunąć|wykreślić|skreślić|wypisać|skasować)",
      "(być|zostać) (usunięty|usunięta|wykreślony|wykreślona|skreślony|skreślona|wypisany|wypisana) z",
      "nie (życzę|życzymy) sobie * (telefonów|połączeń|dzwonienia|kontaktu)",
      "nie (chcę|chcemy) (już|żadnych|więcej|od was|waszych|dalszych|kolejnych)? (więcej|żadnych|od was|waszych)? (telefonów|połączeń)",
      "(żadnych|dość|koniec) (więcej|waszych|już|z)? (telefonów|połączeń|telefonami) (więcej|już|od was|$)",
      "nie (chcę|chcemy|życzę sobie|zgadzam się) (żebyście|aby|by|żeby|abyście) (państwo|pan|pani)? (więcej|już|jeszcze|kiedykolwiek|ponownie)? (do mnie|do nas|tu|tutaj)? (więcej|już|jeszcze)? (dzwonili|dzwonił|dzwoniła|dzwoniono)",
      "(żebyście|żeby|aby|abyście) (więcej|już|nigdy) * nie (dzwonili|dzwonił|dzwoniła|dzwoniono)",
      "nie chcę (już|więcej)? (nigdy)? (o was słyszeć|was słyszeć|słyszeć o was)",
      "nie (wolno|zgadzam się|wyrażam zgody|pozwalam) * (dzwonić|telefony|telefonować|połączenia)",
      "(sprzeciwiam się|sprzeciw) * (połączeniom|telefonom|połączeń|dzwonieniu)",
      "dajcie|daj (mi|nam) (wreszcie|już)? spokój",
      "(lista|listę|liście) (robinsona|zastrzeżonych)",
      "do których (się)? nie (dzwoni|należy dzwonić|dzwonić)",
      "(ze mną|z nami) (więcej|już|nigdy|nigdy więcej) nie (kontaktować|kontaktujcie|kontaktuj)",
      "nie (kontaktujcie|kontaktować|kontaktuj) się (ze mną|z nami) (więcej|już|nigdy)",
    ],
    unlessTimed: [
      "nie (dzwoń|dzwońcie|dzwonić) (do mnie|do nas|tutaj|tu|na ten numer)",
      "(do mnie|do nas|tutaj) nie (dzwonić|dzwońcie)",
    ],
    times: [
      "przed|po|do|o|w|we|jutro|dziś|dzisiaj|teraz|podczas|gdy|kiedy|jeśli|rano|wieczorem|tak|niedzielę|niedziele|poniedziałek|sobotę|między|od|na|jeszcze|później|zanim",
    ],
  },
  machines: {
    voicemail: [
      "po (sygnale|usłyszeniu sygnału|sygnale dźwiękowym)",
      "(zostaw|zostawić|zostawcie|nagraj|nagrać) * (wiadomość|imię)",
      "(poczta głosowa|pocztą głosową|poczty głosowej|automatyczna sekretarka)",
      "(nie jest|jest) (dostępny|dostępna|osiągalny) * (teraz|obecnie)?",
      "nie (mogę|może|możemy) (odebrać|rozmawiać)",
    ],
    full: ["skrzynka * pełna"],
    screening: [
      "(podaj|podać) * powód",
      "imię * powód",
      "(podaj|podać|proszę podać) * (imię|nazwisko) * (powód|cel|rozmowy)",
    ],
    screened: ["(pozostać na linii|zostać na linii|proszę czekać)"],
    menu: [
      "(wciśnij|naciśnij|wybierz|proszę wybrać|proszę nacisnąć) (klawisz|cyfrę)? 0|1|2|3|4|5|6|7|8|9|zero|jeden|dwa|trzy|cztery|pięć|sześć|siedem|osiem|dziewięć|gwiazdkę|krzyżyk",
      "naciśnij|wciśnij|wybierz",
    ],
    outOfService: [
      "numer * (nie istnieje|jest nieaktywny|nie jest używany|nie jest przydzielony)",
      "nie ma takiego numeru",
    ],
    hints: {
      screening: ["podać|podaj", "imię|nazwisko", "powód|cel", "rozmowy", "czekać|linii"],
      full: ["skrzynka|abonenta|poczta", "pełna"],
      announcement: ["wybrany", "istnieje|nieaktywny|używany|przydzielony", "(sprawdzić numer)"],
    },
  },
}
