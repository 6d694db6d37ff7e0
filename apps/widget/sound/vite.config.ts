/** Builds the audio worklet as a separate script, so that a policy which allows the widget's origin allows it too. */
import { join } from "node:path"
import { defineConfig } from "vite"

const root = import.meta.dirname

export default defineConfig({
  root,
  build: {
    outDir: join(root, "../../../dist/widget"),
    emptyOutDir: false,
    target: ["chrome111", "firefox113", "safari16.4"],
    lib: { entry: join(root, "audio.ts"), formats: ["es"], fileName: () => "audio.js" },
    reportCompressedSize: false,
  },
})
