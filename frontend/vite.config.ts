import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// Django serves the result: the manifest tells `server/web/assets.py` which hashed file an entry became.
export default defineConfig({
  base: "./",
  build: {
    outDir: fileURLToPath(new URL("../server/web/static/built", import.meta.url)),
    emptyOutDir: true,
    manifest: "manifest.json",
    // A font in a data: address would be refused by the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // htmx holds an eval for attributes that we neither use nor allow (`allowEval` is off in live.ts).
    rolldownOptions: {
      checks: { eval: false },
      input: fileURLToPath(new URL("src/main.ts", import.meta.url)),
    },
  },
  test: { environment: "node", include: ["src/**/*.test.ts"] },
});
