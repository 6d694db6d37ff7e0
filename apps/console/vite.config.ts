/** Vite's settings for the console: the build, and `npm run console` beside `npm run dev`. */
import react from "@vitejs/plugin-react"
import { join } from "node:path"
import { defineConfig, type Plugin } from "vite"

const root = import.meta.dirname

/** Preloads the font with the script, so that it does not wait for the style sheet. */
const preloadTextFace: Plugin = {
  name: "preload-text-face",
  transformIndexHtml: {
    order: "post",
    handler: (_html, { bundle }) =>
      Object.keys(bundle ?? {})
        .filter((file) => /plex-sans.*\.woff2$/.test(file))
        .map((file) => ({
          tag: "link",
          attrs: { rel: "preload", as: "font", type: "font/woff2", href: `/console/${file}`, crossorigin: "" },
          injectTo: "head" as const,
        })),
  },
}

export default defineConfig({
  root,
  base: "/console/",
  plugins: [react(), preloadTextFace],
  // The server replaces this with a fresh nonce in each response (src/http/ConsoleHttp.ts).
  html: { cspNonce: "__CSP_NONCE__" },
  build: {
    outDir: join(root, "../../dist/console"),
    emptyOutDir: true,
    // The first browsers with light-dark().
    target: ["chrome123", "firefox120", "safari17.5"],
    manifest: true,
    modulePreload: { polyfill: false },
    // Fonts stay files: inlined into a style sheet they could not be cached separately.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  server: {
    proxy: Object.fromEntries(
      ["/api", "/trpc", "/console/settings.json"].map((path) => [
        path,
        { target: process.env["PARLEY_URL"] ?? "http://127.0.0.1:3000", ws: path === "/trpc" },
      ]),
    ),
  },
})
