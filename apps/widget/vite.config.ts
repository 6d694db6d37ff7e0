/** The widget as one classic script: a page of anybody's loads it with a tag, without modules of its own. */
import { join } from "node:path"
import { defineConfig } from "vite"

const root = import.meta.dirname

export default defineConfig({
  root,
  build: {
    outDir: join(root, "../../dist/widget"),
    emptyOutDir: true,
    // What lit 3 asks for; older browsers show no button.
    target: ["chrome111", "firefox113", "safari16.4"],
    lib: { entry: join(root, "widget.ts"), formats: ["iife"], name: "ParleyWidget", fileName: () => "widget.js" },
    reportCompressedSize: false,
  },
})
