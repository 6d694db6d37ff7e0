/** English. */
import type { Language } from "../Language.ts"

export const en: Language = {
  tag: "en",
  sentences: {
    stillThere: ["Are you still there?", "Hello? I cannot hear you."],
    silenceGoodbye: "I cannot hear you, so I will end the call now. Goodbye.",
    sayAgain: "I am sorry, could you say that again?",
    lostThread: "I am sorry, I lost my thread for a moment. Could you say that again?",
    outOfOrder: "I am sorry, something went wrong here. We will be in touch. Goodbye.",
    transferFailed: "I am sorry, I could not put you through.",
    handover: "A caller is waiting for you. {reason} Press 1 to take the call.",
    optedOut: "I understand. We will not call you again. I am sorry for the trouble. Goodbye.",
    timeIsUp: "I am sorry, I have to end the call here. Goodbye.",
    fillers: [
      "One moment, please.",
      "I am still looking that up.",
      "Just a second.",
      "Thank you for waiting, nearly there.",
    ],
  },
  acknowledgements: [
    "mhm|mm|mmm|hm|hmm|uhhuh|ah|oh|okay|ok|yeah|yes|yep|right|sure|alright|fine|good|great|thanks",
    "(m hm|mm hm|mm hmm|uh huh|all right|i see|got it|thank you)",
  ],
  stops: ["stop|wait|actually", "(hold on|hang on|excuse me|one moment|no no)", "just a moment|second|minute"],
  farewells: [
    "bye|goodbye",
    "(good bye|talk to you then|thats all|that was all|that is all|nothing else|talked enough|not interested)",
  ],
  unfinished: [
    "and|or|but|because|so|if|that|which|who|when|where|to|of|for|from|with|at|on|in|by|about|the|a|an|my|your|our|his|her|their|is|are|was|it's|i'm|um|umm|uh|uhh|er|erm|like|well|please",
  ],
  answers: ["yes|no|yeah|yep|nope|sure|okay|ok|right|correct|exactly|hello|hi|bye|goodbye|thanks|(thank you)"],
  digits: ["zero|oh|one|two|three|four|five|six|seven|eight|nine|ten|double|triple|dot|dash|hyphen|underscore"],
  optOuts: {
    phrases: [
      "stop|quit calling|phoning|ringing",
      "(do not|dont|never) ever? call|phone|ring|contact $",
      "(do not|dont|never) ever? call|phone|ring|contact * (again|anymore|any more|ever)",
      "take|remove (me|my number) * off|from",
      "remove my number",
      "unsubscribe",
      "do not call list",
    ],
    unlessTimed: ["(do not|dont|never) ever? call|phone|ring|contact me|us|here"],
    times: ["before|after|until|till|at|on|in|while|during|today|tonight|tomorrow|now"],
  },
  machines: {
    voicemail: [
      "after|at the tone|beep|signal",
      "leave|record * message|name|details",
      "(customer|person|subscriber|party) you * calling|called|reach|dialed|dialled",
      "(automatic|automated) * (message|answering) (system|service)",
      "voicemail|mailbox|(voice mail)",
      "cant|cannot|(can not) (take|come to|answer|get to)",
      "(unable|not able) to (take|come to|answer|get to)",
      "is|am|are (not available|unavailable)",
    ],
    full: [
      "full * accept",
      "accept any|new messages",
      "mailbox|voicemail|inbox|(voice mail) * (full|not set up|not been set up)",
      "cannot accept * messages",
    ],
    screening: [
      "say|state|record * (reason|why you)",
      "name and? * (reason|why you)",
      "(say|state|record|give) your? name * (why|reason|what|calling|about)",
      "state|record your? name",
      "(screening service|call screening|screening this call|screening calls|being screened|using a screening)",
    ],
    screened: [
      "stay on the line",
      "(please hold|hold the line|one moment please)",
      "(try|trying) to connect",
      "see if * (available|can talk)",
    ],
    menu: [
      "options have changed",
      "listen carefully (as|because|to)",
      "choose|select from",
      "press|push|dial (the number)? 0|1|2|3|4|5|6|7|8|9|zero|one|two|three|four|five|six|seven|eight|nine|star|pound|hash",
      "(menu options|following options|following menu)",
    ],
    outOfService: [
      "number * (not in service|no longer in service|disconnected|does not exist|not been assigned|not a working number|has been changed)",
      "(isnt|is not) a valid number",
      "cannot be completed as dialed|dialled",
    ],
  },
}
