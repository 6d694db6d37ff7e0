/** The widget in its own frame, with the theme of a key. It sends no request, since the frame has no real key. */
import type { Outputs } from "../../data/AccountPulse.ts"

export interface WidgetPreviewProps extends Pick<Outputs["widgetKeys"]["list"]["items"][number], "greeting" | "theme"> {
  readonly agent: string
}

/** JSON for use inside a script element: no text in it can end the element. */
const inScript = (value: unknown): string => JSON.stringify(value).replaceAll("<", String.raw`\u003c`)

/** The console's content security policy applies to the frame too, so its inline script needs the nonce. */
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
