/** The design's tokens and the widget's own styles, isolated from the styles of the page. */
import { css } from "lit"

export const look = css`
  :host {
    all: initial;
    --surface: #ffffff;
    --line: #e5e4de;
    --line-2: #cdcbc3;
    --hover: #f5f5f1;
    --ink: #1a1b19;
    --ink-2: #55564f;
    --ink-3: #6a6b63;
    --talk: #0b766d;
    --warn: #f2bc47;
    --warn-text: #855600;
    --stop-text: #a3231b;
    --end: #c22f26;
    --end-hover: #a3231b;
    --focus: #2f5fd0;
    --bubble: #1a1b19;
    --bubble-text: #ffffff;
    --shadow: 0 12px 40px rgb(26 27 25 / 0.14), 0 2px 6px rgb(26 27 25 / 0.06);
    color-scheme: light;
    position: fixed;
    z-index: 2147483000;
    bottom: 20px;
    right: 20px;
    font:
      400 14px/20px system-ui,
      -apple-system,
      "Segoe UI",
      Roboto,
      sans-serif;
    color: var(--ink);
  }
  :host([position="bottom-left"]) {
    right: auto;
    left: 20px;
  }
  :host([mode="dark"]) {
    --surface: #191a18;
    --line: #2a2b28;
    --line-2: #40413c;
    --hover: #20211f;
    --ink: #ecece6;
    --ink-2: #b4b5ab;
    --ink-3: #93948b;
    --talk: #39bba0;
    --warn: #f7ca66;
    --warn-text: #e6b04a;
    --stop-text: #ff8b7e;
    --focus: #8fb3ff;
    --bubble: #ecece6;
    --bubble-text: #1a1b19;
    --shadow: 0 16px 48px rgb(0 0 0 / 0.6), 0 2px 6px rgb(0 0 0 / 0.4);
    color-scheme: dark;
  }
  :host([hidden]) {
    display: none;
  }
  * {
    box-sizing: border-box;
  }
  .talk {
    stroke: var(--talk);
  }
  button {
    font: inherit;
    color: inherit;
    background: none;
    border: 0;
    padding: 0;
    cursor: pointer;
  }
  :focus-visible {
    outline: 2px solid var(--focus);
    outline-offset: 1px;
  }
  .launcher {
    display: inline-flex;
    align-items: center;
    gap: 10px;
    height: 48px;
    padding: 0 20px 0 16px;
    border-radius: 24px;
    background: var(--fill);
    color: var(--fill-text);
    font-weight: 500;
    box-shadow: var(--shadow);
  }
  .launcher .talk {
    stroke: currentColor;
  }
  .panel {
    display: flex;
    flex-direction: column;
    width: 372px;
    height: min(584px, calc(100dvh - 40px));
    overflow: hidden;
    border-radius: 14px;
    background: var(--surface);
    box-shadow: var(--shadow);
    outline: 1px solid var(--line);
    animation: open 200ms ease-out;
  }
  @keyframes open {
    from {
      opacity: 0;
      transform: translateY(8px);
    }
  }
  header {
    display: flex;
    align-items: center;
    gap: 8px;
    padding: 10px 8px 10px 18px;
    border-bottom: 1px solid var(--line);
  }
  .who {
    flex: 1;
    min-width: 0;
  }
  h2 {
    margin: 0;
    font: inherit;
    font-weight: 600;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .state {
    font-size: 12px;
    line-height: 16px;
    color: var(--ink-3);
  }
  .icon {
    display: grid;
    place-items: center;
    width: 36px;
    height: 36px;
    border-radius: 6px;
    color: var(--ink-2);
  }
  .icon:hover {
    background: var(--hover);
  }
  .log {
    flex: 1;
    overflow-y: auto;
    overscroll-behavior: contain;
    display: flex;
    flex-direction: column;
    gap: 12px;
    padding: 16px;
  }
  /* Short conversations are at the bottom. Long ones scroll, which justify-content would prevent. */
  .log > :first-child {
    margin-top: auto;
  }
  .agent,
  .visitor {
    overflow-wrap: anywhere;
  }
  .said {
    white-space: pre-wrap;
  }
  .agent {
    position: relative;
    padding: 0 32px 0 22px;
  }
  .agent svg {
    position: absolute;
    left: 0;
    top: 3px;
  }
  .visitor {
    align-self: flex-end;
    max-width: 82%;
    padding: 6px 10px;
    border-radius: 10px 10px 2px 10px;
    background: var(--bubble);
    color: var(--bubble-text);
  }
  .unsent {
    opacity: 0.65;
  }
  .note {
    display: flex;
    align-items: center;
    gap: 8px;
    font-size: 13px;
    color: var(--ink-2);
  }
  .note i {
    width: 10px;
    height: 10px;
    border-radius: 2px;
    background: var(--warn);
  }
  .trouble {
    color: var(--stop-text);
  }
  .waits {
    color: var(--warn-text);
  }
  .cursor::after {
    content: "";
    display: inline-block;
    width: 2px;
    height: 14px;
    margin-left: 2px;
    vertical-align: -2px;
    background: var(--talk);
    animation: blink 1s steps(2) infinite;
  }
  @keyframes blink {
    to {
      opacity: 0;
    }
  }
  form {
    display: flex;
    gap: 8px;
    padding: 8px 12px;
  }
  .field {
    flex: 1;
    display: flex;
    align-items: flex-end;
    min-width: 0;
    border: 1px solid var(--line-2);
    border-radius: 8px;
    background: var(--surface);
  }
  .field:focus-within {
    outline: 2px solid var(--focus);
    outline-offset: 1px;
  }
  textarea {
    flex: 1;
    min-width: 0;
    max-height: 120px;
    padding: 9px 4px 9px 12px;
    border: 0;
    outline: 0;
    resize: none;
    field-sizing: content;
    background: none;
    color: var(--ink);
    font: inherit;
    line-height: 20px;
  }
  textarea:focus-visible {
    outline: 0;
  }
  textarea::placeholder {
    color: var(--ink-3);
    opacity: 1;
  }
  .send {
    display: grid;
    place-items: center;
    width: 30px;
    height: 30px;
    margin: 4px;
    border-radius: 6px;
    color: var(--ink-2);
  }
  .send.ready {
    background: var(--fill);
    color: var(--fill-text);
  }
  .send:disabled {
    cursor: default;
  }
  .again {
    align-self: center;
    height: 36px;
    padding: 0 14px;
    border: 1px solid var(--line-2);
    border-radius: 6px;
    font-weight: 500;
  }
  .cut::after {
    content: " …";
    color: var(--ink-3);
  }
  .notice {
    padding: 0 16px 10px;
    text-align: center;
    font-size: 12px;
    line-height: 16px;
    color: var(--ink-3);
  }
  .heard {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  @media (max-width: 480px) {
    :host([open]) {
      inset: 0;
    }
    .panel {
      width: 100%;
      height: 100dvh;
      border-radius: 0;
    }
    textarea {
      font-size: 16px;
    }
    .icon {
      width: 44px;
      height: 44px;
    }
  }
  @media (prefers-reduced-motion: reduce) {
    .panel,
    .cursor::after {
      animation: none;
    }
  }
  @media (forced-colors: active) {
    .launcher,
    .panel,
    .visitor,
    .button,
    .send {
      border: 1px solid;
    }
  }
`
