/** The loudness of the last seconds as a row of bars. Each bar shows the louder side, the agent's in its colour. */
import { svg, type TemplateResult } from "lit"

const bars = 40
/** Pixels from bar to bar. The picture is 240 by 48. */
const step = 6
const height = 48

interface Bar {
  readonly level: number
  readonly agent: boolean
}

export class Meter {
  #bars: ReadonlyArray<Bar> = Array.from({ length: bars }, () => ({ level: 0, agent: false }))

  add(agent: number, visitor: number): void {
    const bar = agent >= visitor ? { level: agent, agent: true } : { level: visitor, agent: false }
    this.#bars = [...this.#bars.slice(1), bar]
  }

  get drawing(): TemplateResult {
    return svg`<svg class="meter" width="240" height=${height} viewBox="0 0 240 48" aria-hidden="true">
      ${this.#bars.map(({ agent, level }, at) => {
        // Loudness is perceived by ratios, so a bar's height is the square root of the level.
        const high = Math.max(3, Math.min(1, Math.sqrt(level)) * height)
        return svg`<rect class=${agent ? "talk" : ""} x=${at * step} y=${(height - high) / 2} width="3" height=${high} rx="1.5"/>`
      })}
    </svg>`
  }
}
