/** The styles of a call, in the tokens of Look.ts. */
import { css } from "lit"

export const callLook = css`
  .call {
    position: relative;
    display: flex;
    flex-direction: column;
    align-items: center;
    padding: 24px 16px 16px;
    border-bottom: 1px solid var(--line);
  }
  .meter {
    margin-bottom: 16px;
    fill: var(--ink-3);
  }
  .meter .talk {
    fill: var(--talk);
    stroke: none;
  }
  .speaker {
    font-weight: 500;
  }
  .call .state {
    min-height: 16px;
  }
  .controls {
    display: flex;
    gap: 8px;
    padding: 12px;
    border-top: 1px solid var(--line);
  }
  .button {
    flex: none;
    display: inline-flex;
    align-items: center;
    justify-content: center;
    gap: 8px;
    height: 40px;
    padding: 0 12px;
    border: 1px solid var(--line-2);
    border-radius: 8px;
    font-weight: 500;
  }
  .controls .button {
    flex: 1;
    height: 44px;
  }
  .button:hover {
    background: var(--hover);
  }
  .button:disabled {
    color: var(--ink-3);
    cursor: default;
  }
  .mute[aria-pressed="true"] {
    background: var(--bubble);
    color: var(--bubble-text);
  }
  .end {
    border-color: transparent;
    background: var(--end);
    color: #ffffff;
  }
  .end svg {
    rotate: 135deg;
  }
  .end:hover {
    background: var(--end-hover);
  }
`
