/** The theme of every editor: the console's tokens, and the colours of code. */
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language"
import { EditorView } from "@codemirror/view"
import { tags } from "@lezer/highlight"

export const codeColours = syntaxHighlighting(
  HighlightStyle.define([
    { tag: [tags.keyword, tags.bool, tags.null, tags.self], color: "var(--c-keyword)" },
    { tag: [tags.string, tags.special(tags.string)], color: "var(--c-string)" },
    { tag: [tags.number], color: "var(--c-number)" },
    { tag: [tags.function(tags.variableName), tags.propertyName], color: "var(--c-name)" },
    { tag: [tags.comment], color: "var(--ink-3)" },
  ]),
)

export const editorTheme = EditorView.theme({
  "&": { backgroundColor: "transparent", color: "var(--ink)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "inherit", lineHeight: "inherit" },
  ".cm-content": { padding: "10px 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 16px 0 2px" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "transparent", border: "0", color: "var(--ink-3)", fontSize: "12px" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "32px", padding: "0 12px 0 8px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "var(--note-tint)",
  },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--note-tint)", outline: "none" },
  ".cm-tooltip": {
    border: "1px solid var(--line)",
    borderRadius: "var(--r)",
    backgroundColor: "var(--surface)",
    boxShadow: "var(--shadow)",
    color: "var(--ink)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", fontSize: "12px", maxHeight: "220px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "4px 8px" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { background: "var(--hover)", color: "var(--ink)" },
  ".cm-completionDetail": { color: "var(--ink-3)", fontStyle: "normal" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--stop)" },
  ".cm-lintRange-error": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--stop)",
    textUnderlineOffset: "3px",
  },
})
