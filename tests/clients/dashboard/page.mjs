/** A browser on the dashboard, and the program beside it. Every wait is for a condition. */

import { execFile, spawn } from "node:child_process";
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
export const patience = 240_000; // ms; reached only when something is broken

export class Program {
  constructor(bin) {
    this.path = path.join(bin, "warpmind");
  }
  async text(...words) {
    return (await run(this.path, words, { maxBuffer: 1 << 26 })).stdout.trim();
  }
  async json(...words) {
    return JSON.parse(await this.text(...words, "--json"));
  }
  /** Not waited for. */
  start(...words) {
    return spawn(this.path, words, { stdio: "ignore" });
  }
}

export async function openBrowser(packages) {
  const { chromium } = createRequire(path.join(packages, "package.json"))("playwright-core");
  const flags = ["--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
  return chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: process.getuid() === 0 ? ["--no-sandbox", ...flags] : flags,
  });
}

/** A page that fails the test for every error, and for everything that its policy had to refuse. */
export async function openPage(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  page.faults = [];
  page.on("pageerror", (error) => page.faults.push(`error: ${error.message}`));
  page.on("console", (message) => {
    const text = message.text();
    // Chromium says so of every answer that is an error, also of those that a test provokes.
    if (message.type() === "error" && !text.startsWith("Failed to load resource")) page.faults.push(text);
  });
  page.on("request", (request) => {
    if (!/^(http:\/\/127\.0\.0\.1:|data:)/.test(request.url())) page.faults.push(`asked ${request.url()}`);
  });
  return page;
}

export function heading(page, text) {
  return page.getByRole("heading", { level: 1, name: text });
}

export async function visit(page, view, title) {
  await page.evaluate((hash) => { location.hash = hash; }, `#/${view}`);
  await heading(page, title).waitFor();
}

/** What has the focus: its role and name, and whether that can be seen. */
export async function focused(page) {
  return page.evaluate(() => {
    const element = document.activeElement;
    const style = getComputedStyle(element);
    return {
      tag: element.tagName.toLowerCase(),
      name: (element.getAttribute("aria-label") ?? element.textContent ?? "").trim(),
      outlined: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
    };
  });
}

/** Presses Tab until the element named so has the focus. Every stop on the way must be visible. */
export async function tabTo(page, name) {
  for (let i = 0; i < 150; ++i) {
    await page.keyboard.press("Tab");
    const here = await focused(page);
    assert.ok(here.outlined || here.tag === "body" || here.tag === "main", `the focus on ${here.tag} "${here.name}" cannot be seen`);
    if (here.name === name) return;
  }
  assert.fail(`Tab never comes to "${name}"`);
}

export async function noSidewaysScroll(page, what) {
  const { wide, room } = await page.evaluate(() => ({ wide: document.scrollingElement.scrollWidth, room: innerWidth }));
  assert.ok(wide <= room, `${what} is ${wide} px wide in ${room} px`);
}
