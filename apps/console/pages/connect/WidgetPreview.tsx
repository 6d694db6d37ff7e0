/** The widget in a page of its own, with the theme of a key. It makes no request: the key is known to its owner only. */
import type { Outputs } from "../../data/AccountPulse.ts"

export interface WidgetPreviewProps extends Pick<Outputs["widgetKeys"]["list"]["items"][number], "greeting" | "theme"> {
  readonly agent: string
}

/** A script's text, which nothing in it ends. */
const inScript = (value: unknown): string => JSON.stringify(value).replaceAll("<", String.raw`\u003c`)

/** The page's policy holds in the frame too: what runs there needs its nonce. */
const nonce = document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? ""

const refusal = { code: "preview", detail: "This is a preview." }

const pageWith = (config: object): string => `<!doctype html>
  <meta name="color-scheme" content="light dark">
  <script nonce="${nonce}">
    fetch = async (address) =>
      String(address).includes("/widget/config")
        ? Response.json(${inScript(config)})
        : Response.json(${inScript(refusal)}, { status: 403 })
    addEventListener("load", () => document.querySelector("parley-widget").setAttribute("open", ""))
  </script>
  <script src="${location.origin}/widget.js" data-key="preview"></script>`

export const WidgetPreview = ({ agent, greeting, theme }: WidgetPreviewProps) => (
  <iframe
    className="WidgetKeys-preview"
    title={`The widget with ${agent}`}
    sandbox="allow-scripts"
    srcDoc={pageWith({
      agent: { name: agent, language: "en" },
      theme,
      greeting,
      features: { chat: true, voice: false },
    })}
  />
)
