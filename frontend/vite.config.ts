import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { sfntOf } from "./src/build/woff";

const FONTS = ["@fontsource-variable/ibm-plex-sans", "@fontsource/ibm-plex-mono"];

/** Lays each font's licence beside it, as the Open Font License asks. */
function fontLicenses(): Plugin {
  return {
    name: "font-licenses",
    generateBundle() {
      for (const font of FONTS) {
        const source = readFileSync(new URL(`node_modules/${font}/LICENSE`, import.meta.url));
        this.emitFile({ type: "asset", fileName: `licenses/${font.split("/")[1]}.txt`, source });
      }
    },
  };
}

// Weight 600 calls itself a family of its own, and would not be found.
/** Unpacks the typeface for `server/drawing/png.py`, whose library reads no web fonts. */
function drawingFonts(): Plugin {
  return {
    name: "drawing-fonts",
    generateBundle() {
      for (const weight of [400, 700]) {
        const file = `node_modules/@fontsource/ibm-plex-sans/files/ibm-plex-sans-latin-${weight}-normal.woff`;
        const source = sfntOf(readFileSync(new URL(file, import.meta.url)));
        this.emitFile({ type: "asset", fileName: `drawing/ibm-plex-sans-${weight}.ttf`, source });
      }
    },
  };
}

// Django serves the result: the manifest tells `server/web/assets.py` which hashed file an entry became.
export default defineConfig({
  base: "./",
  plugins: [fontLicenses(), drawingFonts()],
  resolve: { alias: { hammerjs: fileURLToPath(new URL("src/charts/no-hammer.ts", import.meta.url)) } },
  build: {
    license: { fileName: "licenses/scripts.txt" },
    outDir: fileURLToPath(new URL("../server/web/static/built", import.meta.url)),
    emptyOutDir: true,
    manifest: "manifest.json",
    // A font in a data: address would be refused by the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: fileURLToPath(new URL("src/main.ts", import.meta.url)),
    },
  },
  test: { environment: "node", include: ["src/**/*.test.ts"] },
});
