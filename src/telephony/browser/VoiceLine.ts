/** A conversation by voice with a page: its sound as a line, and both sides in writing in its chat. */
import type { Agent } from "../../domain/Agent.ts"
import * as SoundLine from "../SoundLine.ts"
import { BrowserPath } from "./BrowserPath.ts"
import type { Chat } from "./Chat.ts"
import type { SoundWire } from "./SoundWire.ts"

/** A visitor who pressed a button waits for the agent and does not say hello. */
const first_word_ms = 300

export const make = (
  equipment: SoundLine.SoundEquipment,
  account: string,
  { language, model, voice }: Pick<Agent, "language" | "voice"> & Partial<Pick<Agent, "model">>,
  chat: Chat,
  wire: SoundWire,
) =>
  SoundLine.make(equipment, {
    account,
    language,
    voice,
    model,
    first_word_ms,
    meetsMachines: false,
    path: new BrowserPath(chat, wire),
    onlooker: {
      says: (text) => chat.say(text),
      finished: () => chat.finish(),
      interrupted: (heard) => chat.interrupt(heard),
      understood: (text) => chat.utter(text),
    },
  })
