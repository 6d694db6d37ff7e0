/** Turkish. */
import type { Language } from "../Language.ts"

export const tr: Language = {
  tag: "tr",
  sentences: {
    stillThere: ["Hâlâ orada mısınız?", "Alo? Sizi duyamıyorum."],
    silenceGoodbye: "Sizi duyamıyorum, bu yüzden görüşmeyi sonlandırıyorum. Hoşça kalın.",
    sayAgain: "Özür dilerim, tekrar söyler misiniz?",
    lostThread: "Özür dilerim, bir an konuyu kaçırdım. Tekrar söyler misiniz?",
    outOfOrder: "Üzgünüm, bir sorun oluştu. Sizinle iletişime geçeceğiz. Hoşça kalın.",
    transferFailed: "Üzgünüm, sizi bağlayamadım.",
    handover: "Sizi bekleyen bir arayan var. {reason} Görüşmeyi almak için 1'e basın.",
    recorded: "Görüşme kaydediliyor.",
    takenOver: "Bir dakika, lütfen. Sizi bir arkadaşıma bağlıyorum.",
    handedBack: "Tekrar sizinleyim. Devam edelim mi?",
    personLost: "Üzgünüm, arkadaşımla bağlantı koptu. Tekrar sizinleyim.",
    optedOut: "Anlıyorum. Sizi bir daha aramayacağız. Rahatsızlık için özür dilerim. Hoşça kalın.",
    pressToOptOut: "Sizi bir daha aramamızı istemiyorsanız {key} tuşuna basın.",
    timeIsUp: "Üzgünüm, görüşmeyi burada sonlandırmam gerekiyor. Hoşça kalın.",
    fillers: ["Bir dakika, lütfen.", "Hâlâ bakıyorum.", "Bir saniye.", "Beklediğiniz için teşekkürler, az kaldı."],
  },
  keyNames: { star: "yıldız", hash: "kare" },
  acknowledgements: [
    "hm|hmm|mm|hıhı|ah|oh|evet|tamam|peki|olur|tabii|tabi|doğru|iyi|güzel|anladım|anlıyorum|teşekkürler",
    "(teşekkür ederim|çok iyi|hı hı)",
  ],
  stops: ["dur|durun|bekleyin|bekle|pardon", "(hayır hayır|bir dakika|bir saniye)"],
  farewells: ["görüşürüz|hoşçakalın|güle", "(hoşça kalın|güle güle|iyi günler|hepsi bu|bu kadar|ilgilenmiyorum)"],
  unfinished: ["ve|veya|ama|çünkü|ki|eğer|benim|sizin|bizim|şey|ııı"],
  answers: ["evet|hayır|tamam|alo|merhaba|teşekkürler|peki|olur"],
  digits: ["sıfır|bir|iki|üç|dört|beş|altı|yedi|sekiz|dokuz|on|nokta|tire"],
  optOuts: {
    phrases: [
      "(bir daha|bidaha|artık|asla) * (arama|aramayın|aramayınız|aramasın|aramasınlar)",
      "aramayı (bırak|bırakın|kes|kesin)",
      "aramaktan (vazgeç|vazgeçin)",
      "(numaramı|beni) * (silin|sil|çıkarın|çıkar|kaldırın|siler misiniz)",
      "(aranmak|aramanızı|aramalarınızı) * istemiyorum",
    ],
    unlessTimed: ["(beni|bizi|burayı) (arama|aramayın|aramayınız)"],
    times: ["önce|sonra|kadar|şimdi|bugün|yarın|saat|sırada|işteyken|sabah|akşam"],
  },
  machines: {
    voicemail: [
      "(sinyal|bip|sinyal sesinden|bip sesinden|sesten|tondan) * sonra",
      "(mesaj|mesajınızı|mesajınız|isminizi) * (bırakın|bırakınız|bırakabilirsiniz)",
      "(sesli mesaj|telesekreter|sesli posta)",
      "(ulaşılamıyor|cevap veremiyor|müsait değil|müsait değilim)",
      "telefona * mesajınızı",
    ],
    full: ["(mesaj kutusu|posta kutusu) * dolu"],
    screening: ["(adınızı|isminizi) * (nedeninizi|nedenini|söyleyin)"],
    screened: ["(hatta kalın|lütfen bekleyin)"],
    menu: ["(tuşlayın|tuşlayınız)", "(basın|basınız) $"],
    outOfService: ["numara * (kullanılmamaktadır|kullanılmıyor|servis dışıdır|hatalıdır)"],
    hints: {
      screening: ["adınızı|isminizi", "arama|nedeninizi|nedenini", "söyleyin", "kontrol", "kalın|bekleyin"],
      full: ["kutusu", "dolu", "(aradığınız kişinin)"],
      announcement: ["aradığınız", "kullanılmamaktadır|kullanılmıyor|hatalıdır", "(kontrol ediniz)"],
    },
  },
}
