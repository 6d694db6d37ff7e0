/** Watches campaigns over their event streams as a browser does, reconnecting whenever the server ends a stream. */
import { createParser } from "eventsource-parser"
import type { Recorder } from "./History.ts"

export interface Watch {
  readonly account: string
  readonly campaign: string
  readonly token: string
}

let opened = 0

/** Follows the campaign until its `end` event, or until `isOver`. */
export const follow = async (
  url: string,
  { account, campaign, token }: Watch,
  recorder: Recorder,
  isOver: () => boolean,
): Promise<void> => {
  const seen: { lastId: string | undefined; ended: boolean } = { lastId: undefined, ended: false }
  while (!seen.ended && !isOver()) {
    const stream = opened++
    const tell = (event: string, data: Record<string, any> | null) =>
      recorder.add({ t: "sse", account, campaign, stream, event, data, at: Date.now() })
    const closing = new AbortController()
    let isOpen = false
    const watchdog = setInterval(() => isOver() && closing.abort(), 100)
    try {
      const response = await fetch(`${url}/api/v1/campaigns/${campaign}/events`, {
        signal: closing.signal,
        headers: {
          connection: "close",
          authorization: `Bearer ${token}`,
          "x-account-id": account,
          ...(seen.lastId === undefined ? {} : { "last-event-id": seen.lastId }),
        },
      })
      if (response.status === 404 || response.status === 204) return tell(String(response.status), null)
      if (response.status === 200 && response.body !== null) {
        tell("open", null)
        isOpen = true
        const decoder = new TextDecoder()
        const parser = createParser({
          // Sent once at the beginning, and again when the process drains.
          onRetry: () => tell("retry", null),
          onEvent: ({ data, event = "message", id }) => {
            seen.lastId = id
            const { counts, status } = JSON.parse(data)
            tell(event, { counts, status })
            seen.ended ||= event === "end"
          },
        })
        for await (const chunk of response.body) parser.feed(decoder.decode(chunk, { stream: true }))
        tell("closed", null)
      } else {
        // A draining process answers 503, so no stream is opened.
        tell("refused", null)
        await response.body?.cancel()
      }
    } catch {
      if (!isOver()) tell(isOpen ? "broken" : "refused", null)
    } finally {
      clearInterval(watchdog)
    }
    if (!seen.ended) await new Promise((resolve) => setTimeout(resolve, 500))
  }
}
