/** JSON as the console colours it. */
import { json } from "@codemirror/lang-json"
import { codeColours } from "./EditorTheme.ts"

export const jsonLanguage = () => [json(), codeColours]
