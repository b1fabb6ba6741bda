import { defineConfig } from "vite";

// The same sources give the same bytes: names hold a hash of what is in them, nothing a date.
export default defineConfig({
  base: "/",
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    cssCodeSplit: true,
    reportCompressedSize: false,
  },
});
