/** Turns the parts of a model's stream into words of a reply: speakable pieces, tool calls, usage. Plain code. */
import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider"
import { Option, type Schema } from "effect"
import { isObject } from "../../domain/JsonValue.ts"
import type { Word } from "../Brain.ts"
import type { Tokens } from "../../domain/ModelPrice.ts"
import * as Speech from "./Speech.ts"

export class ReplyWords {
  private readonly canCall: boolean
  private readonly tell: (word: Word) => void
  private readonly usageOf: (tokens: Tokens) => Extract<Word, { readonly _tag: "Usage" }>["usage"]
  private speech = Speech.nothing
  private hasText = false

  /** `canCall`: whether tools are allowed. If they are not, a tool call of the model is dropped. */
  constructor(canCall: boolean, usageOf: ReplyWords["usageOf"], tell: ReplyWords["tell"]) {
    this.canCall = canCall
    this.usageOf = usageOf
    this.tell = tell
  }

  take(part: LanguageModelV4StreamPart): void {
    switch (part.type) {
      case "text-delta":
        this.noteText(part.delta)
        return this.say(Speech.add(this.speech, part.delta))
      case "tool-call":
        // Words before the tool call are spoken before the tool runs.
        this.end()
        if (this.canCall) this.tell(toolCall(part))
        return
      case "finish":
        this.end()
        return this.tell({ _tag: "Usage", usage: this.usageOf(tokensOf(part.usage)) })
    }
  }

  /**
   * Speaks the text that is left. The end of the stream calls this too, so that a reply without its final part is
   * spoken.
   */
  end(): void {
    this.say(Speech.end(this.speech))
  }

  private noteText(delta: string): void {
    if (this.hasText || delta.trim() === "") return
    this.hasText = true
    this.tell({ _tag: "FirstToken" })
  }

  private say([rest, texts]: ReturnType<typeof Speech.end>): void {
    this.speech = rest
    for (const text of texts) this.tell({ _tag: "Say", text })
  }
}

const toolCall = (part: Extract<LanguageModelV4StreamPart, { type: "tool-call" }>): Word => {
  const { input, providerMetadata, toolName: name } = part
  const meta = providerMetadata === undefined ? undefined : json(JSON.stringify(providerMetadata))
  return { _tag: "ToolCall", call: { name, arguments: argumentsIn(input), ...(isObject(meta) ? { meta } : {}) } }
}

export const tokensOf = ({ inputTokens, outputTokens }: LanguageModelV4Usage): Tokens => ({
  tokens_in: inputTokens.total ?? 0,
  tokens_out: outputTokens.total ?? 0,
})

/** The model's text as JSON; the text itself if it is not JSON. An empty text is an empty object. */
export const argumentsIn = (input: string): Schema.Json =>
  Option.getOrElse(Option.liftThrowable(json)(input.trim() === "" ? "{}" : input), () => input)

/** Parses JSON without the key `__proto__`, which can replace an object's prototype when the object is copied. */
const json = (text: string): Schema.Json => JSON.parse(text, (key, value) => (key === "__proto__" ? undefined : value))
