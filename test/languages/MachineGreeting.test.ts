import { assert, describe, it } from "@effect/vitest"
import { isScreenerWaiting, machineKindOf } from "../../src/languages/MachineGreeting.ts"

describe("the first words of a call tell what took it", () => {
  it.each([
    ["Hi, you have reached Anna. I am not able to take your call right now, please leave a message.", "voicemail"],
    ["The person you are calling is not available. At the tone, please record your message.", "voicemail"],
    ["Your call has been forwarded to an automatic voice message system. The mailbox is full.", "full_mailbox"],
    [
      "The voicemail box of the person you called has not been set up. The voicemail has not been set up.",
      "full_mailbox",
    ],
    ["Hi. If you record your name and reason for calling, I'll see if this person is available.", "screening"],
    [
      "The person you're calling is using a screening service from Google. Go ahead and say your name, and why you're calling.",
      "screening",
    ],
    ["Guten Tag, hier ist die Mailbox von Anna Weber. Bitte hinterlassen Sie eine Nachricht.", "voicemail"],
    ["Der gewünschte Gesprächspartner ist zurzeit nicht erreichbar, bitte versuchen Sie es später.", "voicemail"],
    ["Bonjour, vous êtes bien sur la messagerie de Paul, laissez un message après le bip.", "voicemail"],
    ["Ha llamado al buzón de voz del número, deje su mensaje después de la señal.", "voicemail"],
    ["Risponde la segreteria telefonica, lasciate un messaggio dopo il segnale acustico.", "voicemail"],
    ["Você ligou para a caixa postal, deixe a sua mensagem após o sinal.", "voicemail"],
    ["Dit is de voicemail van Jan, spreek een bericht in na de piep.", "voicemail"],
    ["Dodzwoniłeś się do poczty głosowej, zostaw wiadomość po sygnale.", "voicemail"],
    ["Hej, du har kommit till Annas röstbrevlåda, lämna ett meddelande efter tonen.", "voicemail"],
    ["Du har ringet til Mettes telefonsvarer, læg en besked efter tonen.", "voicemail"],
    ["Aradığınız kişiye şu anda ulaşılamıyor, lütfen sinyal sesinden sonra mesaj bırakın.", "voicemail"],
    ["आपने जिस नंबर पर कॉल किया है वह अभी उपलब्ध नहीं है।", "voicemail"],
    ["Hello?", null],
    ["Hello, this is Northside Dental, how can I help you?", null],
    ["Voicemail?", null],
    ["Sorry, could you say your name again please, I did not get it.", null],
    ["Guten Morgen, Praxis Doktor Weber, was kann ich für Sie tun?", null],
    ["Thank you for calling Greenfield Motors, this is Anna speaking, what can I do for you today?", null],
  ] as const)("%s: %s", (text, kind) => {
    assert.strictEqual(machineKindOf(text), kind)
  })

  it.each(["Okay, please stay on the line.", "Bitte bleiben Sie dran.", "Ne quittez pas.", "No cuelgue, por favor."])(
    "%s: a screening assistant asks the called person",
    (text) => assert.isTrue(isScreenerWaiting(text)),
  )
})
