/** The agent's fixed sentences, for which no brain is asked. */

export const stillThere = ["Are you still there?", "Hello? I cannot hear you."] as const
export const silenceGoodbye = "I cannot hear you, so I will end the call now. Goodbye."
export const sayAgain = "I am sorry, could you say that again?"
/** After the first failure of the brain, and after the second. */
export const lostThread = "I am sorry, I lost my thread for a moment. Could you say that again?"
export const outOfOrder = "I am sorry, something went wrong here. We will be in touch. Goodbye."
export const transferFailed = "I am sorry, I could not put you through."
export const optedOut = "I understand. We will not call you again. I am sorry for the trouble. Goodbye."
export const timeIsUp = "I am sorry, I have to end the call here. Goodbye."

/** Said while a tool is slow, in turn, so that none is repeated at once. */
const fillers = [
  "One moment, please.",
  "I am still looking that up.",
  "Just a second.",
  "Thank you for waiting, nearly there.",
] as const

export const filler = (at: number): string => fillers[at % fillers.length] ?? fillers[0]
