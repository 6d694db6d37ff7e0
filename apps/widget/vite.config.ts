/** Builds the widget as one classic script, so that any page can load it with a tag. */
import { join } from "node:path"
import { defineConfig } from "vite"

const root = import.meta.dirname

export default defineConfig({
  root,
  build: {
    outDir: join(root, "../../dist/widget"),
    emptyOutDir: true,
    // The target that lit 3 needs. Older browsers show no button.
    target: ["chrome111", "firefox113", "safari16.4"],
    lib: { entry: join(root, "widget.ts"), formats: ["iife"], name: "ParleyWidget", fileName: () => "widget.js" },
    reportCompressedSize: false,
  },
})
