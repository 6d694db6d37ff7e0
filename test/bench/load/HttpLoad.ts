/** One round of requests from a separate process, so that the server under test has its core to itself. */
import autocannon from "autocannon"

export interface Question {
  readonly url: string
  readonly headers: Record<string, string>
  readonly connections: number
  readonly seconds: number
}

export interface Answer {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** Responses other than 200, and requests without a response. */
  readonly wrong: number
}

const { connections, headers, seconds, url }: Question = JSON.parse(process.argv[2] ?? "{}")
const result = await autocannon({ url, headers, connections, duration: seconds })
const answer: Answer = {
  perSecond: result["2xx"] / result.duration,
  p50: result.latency.p50,
  p99: result.latency.p99,
  wrong: result.non2xx + result.errors + result.timeouts,
}
console.log(JSON.stringify(answer))
