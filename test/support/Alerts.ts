/** Which alerts of `ops/alerts.yml` fire, as evaluated by Prometheus itself over scrapes of a running server. */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { promtool } from "./Promtool.ts"

/** The text of /metrics; null if the scrape failed. */
export type Scrape = string | null

export const rulesFile = resolve("ops/alerts.yml")

export const alertNames = Array.from(
  readFileSync(rulesFile, "utf8").matchAll(/- alert: (\w+)/g),
  ([, name = ""]) => name,
)

/** The samples of a scrape: `name{labels}`, with the labels that a scraper adds, to its value. */
const samplesOf = (scrape: Scrape): ReadonlyMap<string, string> => {
  const target = 'instance="parley:3000",job="parley"'
  const samples = new Map([[`up{${target}}`, scrape === null ? "0" : "1"]])
  for (const line of (scrape ?? "").split("\n")) {
    const [, name, labels, value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    if (name === undefined || value === undefined || value === "NaN") continue
    samples.set(`${name}{${labels === undefined ? "" : `${labels},`}${target}}`, value)
  }
  return samples
}

/**
 * The scrapes are a minute apart: the healthy one is repeated for ten minutes, the first one with the fault for five,
 * and the second one for 15.
 */
const minutes = [10, 5, 15] as const
const isWell = "9m"
const isBroken = "23m"

const firingAt = (name: string, eval_time: string, isFiring: boolean) => ({
  expr: `count(ALERTS{alertname="${name}",alertstate="firing"})`,
  eval_time,
  exp_samples: isFiring ? [{ labels: "{}", value: 1 }] : [],
})

/**
 * Checks that the alerts in `firing` fire only after the fault, and that those in `quiet` do not fire. Returns
 * promtool's complaint, or an empty text if all is as expected.
 */
export const faultsOf = (
  scrapes: readonly [well: Scrape, broken: Scrape, stillBroken: Scrape],
  firing: ReadonlyArray<string>,
  quiet: ReadonlyArray<string> = [],
): string => {
  const samples = scrapes.map(samplesOf)
  const names = new Set(samples.flatMap((of) => [...of.keys()]))
  const input_series = Array.from(names, (series) => ({
    series,
    values: samples
      .map((of, at) => {
        const value = of.get(series)
        const more = (minutes[at] ?? 1) - 1
        return value === undefined ? `_x${more + 1}` : `${value}+0x${more}`
      })
      .join(" "),
  }))
  const file = join(mkdtempSync(join(tmpdir(), "parley-alerts-")), "test.json")
  const promql_expr_test = [
    ...firing.flatMap((name) => [firingAt(name, isWell, false), firingAt(name, isBroken, true)]),
    ...quiet.map((name) => firingAt(name, isBroken, false)),
  ]
  // A JSON document is valid YAML.
  writeFileSync(
    file,
    JSON.stringify({
      rule_files: [rulesFile],
      evaluation_interval: "15s",
      tests: [{ interval: "1m", input_series, promql_expr_test }],
    }),
  )
  const { isAccepted, said } = promtool(["test", "rules", file])
  return isAccepted ? "" : said
}
