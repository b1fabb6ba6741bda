/**
 * The pictures of docs/pictures, of whatever a daemon holds: pictures.mjs PACKAGES ADDRESS FOLDER
 * PACKAGES: build/dashboard/packages-…; ADDRESS: what `warpmind dashboard` printed.
 */

import assert from "node:assert/strict";
import { statSync } from "node:fs";
import path from "node:path";

import { heading, noSidewaysScroll, openBrowser, openPage, visit } from "./page.mjs";

const [packages, address, folder] = process.argv.slice(2);
const desk = { width: 1440, height: 780 };
const phone = { width: 390, height: 844 };

const browser = await openBrowser(packages);
try {
  const page = await openPage(browser, { colorScheme: "light", viewport: desk });
  const take = async (name) => {
    await page.getByText("Loading.").first().waitFor({ state: "detached" });
    await noSidewaysScroll(page, name);
    const file = path.join(folder, `dashboard-${name}.png`);
    await page.screenshot({ path: file });
    assert.ok(statSync(file).size <= 150_000, `${file} is too large`);
  };
  const wear = async (theme) => {
    await page.emulateMedia({ colorScheme: theme });
    await page.waitForFunction((wanted) => document.documentElement.dataset.theme === wanted, theme);
  };
  await page.goto(address);
  await heading(page, "Overview").waitFor();
  await page.locator(".cards .card").first().waitFor();
  await take("overview");
  const best = await page.locator(".cards .card:has(.gain) h3 a").first().getAttribute("href");
  await wear("dark");
  await take("dark");
  await page.setViewportSize(phone);
  await take("phone");
  await page.setViewportSize(desk);
  await wear("light");
  await visit(page, "roofline", "Roofline");
  await page.locator(".legend").waitFor();
  await take("roofline");
  await visit(page, best.replace("#/", ""), /./);
  await page.locator(".diff .cm-content").first().waitFor();
  await take("episode");
  const launches = page.locator('section[aria-labelledby="launches"]');
  await launches.getByRole("table").waitFor();
  await launches.evaluate((section) => section.scrollIntoView());
  await take("launches");
  assert.deepEqual(page.faults, []);
} finally {
  await browser.close();
}
