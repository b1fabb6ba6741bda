/** The workbench of VS Code in a headless Chromium. Every wait is for a condition. */

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import path from "node:path";

const patience = 150_000; // ms; reached only when something is broken

export class Workbench {
  /** `tools`: folder that holds playwright-core; `scratch`: with home/ and project/. */
  static async open({ tools, url, scratch, pictures }) {
    const { chromium } = createRequire(path.join(tools, "package.json"))("playwright-core");
    const browser = await chromium.launch({
      executablePath: "/usr/bin/chromium",
      args: process.getuid() === 0 ? ["--no-sandbox"] : [],
    });
    const page = await browser.newPage({ viewport: { width: 1440, height: 760 } });
    page.setDefaultTimeout(patience);
    const workbench = Object.assign(new Workbench(), { browser, page, url, scratch, pictures });
    await workbench.load();
    return workbench;
  }

  async load() {
    await this.page.goto(`${this.url}/?folder=${path.join(this.scratch, "project")}`);
    await this.page.locator(".explorer-folders-view .monaco-list-row").first().waitFor();
  }

  /** Points at a file by its path in the project, as Ctrl+P does: Enter opens it. */
  async choose(name) {
    await this.page.keyboard.press("Control+P");
    await this.page.locator(".quick-input-widget input").fill(name);
    const row = this.page.locator(".quick-input-widget .monaco-list-row", { hasText: path.basename(name) });
    await row.first().waitFor();
  }

  async file(name) {
    await this.choose(name);
    await this.page.keyboard.press("Enter");
    await this.page.locator(".tab.active", { hasText: path.basename(name) }).waitFor();
  }

  async command(title) {
    await this.page.keyboard.press("Control+Shift+P");
    const input = this.page.locator(".quick-input-widget input");
    await input.fill(`>${title}`);
    await this.page.locator(".quick-input-widget .monaco-list-row", { hasText: title }).first().click();
  }

  /** A lens whose title matches, once it is there; `state` "attached" for one beyond the edge of the window. */
  async lens(title, state = "visible") {
    const found = this.page.locator(".codelens-decoration a", { hasText: title }).first();
    await found.waitFor({ state });
    return found;
  }

  async lenses() {
    return this.page.locator(".codelens-decoration a").allTextContents();
  }

  /** The notification that holds `text`, once it is there: as a toast, or in the list once it has faded. */
  async notification(text) {
    const found = this.page.locator(".notification-list-item", { hasText: text }).first();
    const faded = this.page.locator('[id="status.notifications"] .codicon-bell-dot');
    await until(this, `a notification like ${text}`, async () => {
      if (await found.isVisible()) return true;
      const none = !(await this.page.locator(".notification-list-item").first().isVisible());
      if (none && (await faded.isVisible())) await faded.click();
      return false;
    });
    return found;
  }

  async closeNotifications() {
    await this.command("Notifications: Clear All Notifications");
    await this.page.locator(".notification-list-item").first().waitFor({ state: "hidden" });
  }

  /** The item of warpmind in the status bar, once it looks so: "zap", "warning". */
  async status(icon) {
    const item = this.page.locator(`.statusbar-item:has(.codicon-${icon})`, { hasText: "warpmind" });
    await item.waitFor();
    return item;
  }

  /** Opens the side bar of warpmind. */
  async sideBar() {
    if (!(await this.page.locator('.pane-header[aria-label^="Episodes"]').isVisible())) {
      await this.page.locator('.activitybar .action-item:has([aria-label="warpmind"])').click();
    }
    await this.page.locator('.pane-header[aria-label^="Episodes"]').waitFor();
  }

  pane(name) {
    return this.page.locator(`.pane:has(.pane-header[aria-label^="${name}"])`);
  }

  /** Text of the lines that an editor shows, top to bottom. */
  async lines(editor = this.page.locator(".editor-instance .monaco-editor").first()) {
    const found = await editor.locator(".view-line").evaluateAll((all) =>
      all
        .map((one) => [one.getBoundingClientRect().top, one.textContent.replace(/\u00a0/g, " ")])
        .sort((a, b) => a[0] - b[0])
        .map(([, text]) => text),
    );
    return found;
  }

  async picture(name) {
    if (!this.pictures) return;
    await this.page.mouse.move(600, 700);
    await this.page.screenshot({ path: path.join(this.pictures, `vscode-${name}.png`) });
  }

  async close() {
    await this.browser.close();
  }
}

/** Waits until `probe` answers something true; what it answers. Looks again after each paint of the page. */
export async function until(workbench, what, probe) {
  const end = Date.now() + patience;
  while (Date.now() < end) {
    const found = await probe();
    if (found) return found;
    await workbench.page.evaluate(() => new Promise(requestAnimationFrame));
  }
  assert.fail(`not within ${patience / 1000} s: ${what}`);
}
