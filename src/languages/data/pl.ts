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
      "więcej * nie (dzwoń|dzwońcie|dzwonić|dzwonił|dzwoniła)",
      "nie (dzwoń|dzwońcie|dzwonić) * (więcej|nigdy|już)",
      "nigdy więcej * (dzwoń|dzwońcie|dzwonić)",
      "(przestań|przestańcie|przestać) * (dzwonić|wydzwaniać)",
      "(usunąć|usuńcie|usuń|wykreślić|wykreślcie|skasować|skasujcie) * (mój numer|mnie|numer)",
      "nie (życzę|życzymy) sobie * (telefonów|połączeń|dzwonienia|kontaktu)",
      "nie chcę * (telefonów|połączeń)",
    ],
    unlessTimed: [
      "nie (dzwoń|dzwońcie|dzwonić) (do mnie|do nas|tutaj)",
      "(do mnie|do nas|tutaj) nie (dzwonić|dzwońcie)",
    ],
    times: ["przed|po|do|o|w|jutro|dziś|dzisiaj|teraz|podczas|gdy|rano|wieczorem"],
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
