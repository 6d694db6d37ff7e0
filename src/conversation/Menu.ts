/**
 * A menu that asks for a key took the call. An agent that can press keys treats it as a person. For any other agent it
 * is a machine that takes no message. Pure.
 */
import { areAlike } from "../languages/Phrases.ts"
import type { Talk } from "./Talk.ts"
import * as Voicemail from "./Voicemail.ts"

/** A menu that is read this many times was not understood. */
const mostReadings = 3

/** The menu has just been read. */
export const onMenu = (heard: Talk, text: string): Talk => {
  if (!heard.setup.has_keys) return Voicemail.onMachine(heard, "menu")
  const menus = [...heard.menus, text]
  if (menus.filter((menu) => areAlike(menu, text)).length >= mostReadings) return Voicemail.onMachine(heard, "menu")
  // A menu is not greeted.
  return { ...heard, opened: true, menus }
}
