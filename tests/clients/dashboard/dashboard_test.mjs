/** dashboard_test.mjs BIN_DIRECTORY PACKAGES SCRATCH */

import assert from "node:assert/strict";
import path from "node:path";

import { Program, focused, heading, noSidewaysScroll, openBrowser, openPage, patience, tabTo, visit } from "./page.mjs";

const [bin, packages, scratch] = process.argv.slice(2);
const warpmind = new Program(bin);
const tasks = ["column_sum", "vector_add_chain", "row_softmax_f16"];
const browser = await openBrowser(packages);
let checks = 0;

async function check(sentence, body) {
  try {
    await body();
  } catch (error) {
    console.log(`FAIL  ${sentence}`);
    throw error;
  }
  ++checks;
  console.log(`ok    ${sentence}`);
}

async function address() {
  const { url } = await warpmind.json("dashboard");
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/login#code=[0-9a-f]{64}$/);
  return url;
}

try {
  const page = await openPage(browser, { colorScheme: "light" });
  const url = await address();

  await check("the address lets a browser in, and disappears from the bar", async () => {
    await page.goto(url);
    await heading(page, "Overview").waitFor();
    await page.getByText("live", { exact: true }).waitFor();
    assert.ok(page.url().endsWith("/#/overview"), page.url());
    assert.deepEqual(await page.context().cookies(), []);
  });

  await check("a second use of the address is refused, and says what to do", async () => {
    const other = await openPage(browser);
    await other.goto(url);
    await other.getByRole("alert").filter({ hasText: "used before" }).waitFor();
    await other.getByText("warpmind dashboard --open").waitFor();
    await other.goto(new URL("/", url).href);
    await other.getByRole("alert").waitFor();
    await other.context().close();
  });

  await check("a queue of several jobs runs live in the page", async () => {
    const folders = tasks.map((task) => path.join(scratch, task));
    await warpmind.text("queue", "add", ...folders, "--provider", "sim", "--evaluations", "3", "--seconds", "120");
    await page.getByRole("link", { name: "row_softmax_f16" }).first().waitFor();
    await page.locator(".lanes").getByRole("link").first().waitFor();
    await page.locator(".lanes progress").waitFor();
    await page.locator(".lanes .gain-predicted").waitFor();
  });

  await check("orders from the page reach the queue", async () => {
    const last = (await warpmind.json("queue", "list")).jobs.filter((job) => job.state === "queued").at(-1);
    if (last === undefined) return; // a fast machine is done with them
    await page.getByRole("button", { name: `Pause ${last.job_id}` }).click();
    await page.getByRole("button", { name: `Resume ${last.job_id}` }).waitFor();
    const held = (await warpmind.json("queue", "list")).jobs.find((job) => job.job_id === last.job_id);
    assert.equal(held.held, true);
    await page.getByRole("button", { name: `Resume ${last.job_id}` }).click();
    await page.getByRole("button", { name: `Pause ${last.job_id}` }).waitFor();
  });

  const card = (task) => page.locator(".cards .card").filter({ has: page.getByRole("link", { name: task, exact: true }) });
  await check("each task gets a card when its episode ends: gain, times, share of the limit, way there", async () => {
    for (const task of tasks) await card(task).waitFor();
    await page.getByText("Nothing is queued.").waitFor();
    assert.equal(await page.locator(".cards .card").count(), tasks.length);
    const best = card("column_sum");
    assert.match(await best.locator(".gain").textContent(), /^\d+\.\d+x predicted$/);
    assert.match(await best.locator(".times").textContent(), /^[\d.]+ [µm]s → [\d.]+ [µm]s$/);
    await best.getByRole("img", { name: /^column_sum reaches .* % of the limit, as given .* %$/ }).waitFor();
    await best.getByRole("img", { name: /^The best gain after each of \d candidates/ }).waitFor();
    assert.notEqual((await best.locator(".why").textContent()).trim(), "");
  });

  await check("nothing is asked for while nothing changes, and a change of another client is asked for once", async () => {
    const idle = await openPage(browser);
    await idle.clock.install();
    await idle.goto(await address());
    await idle.locator(".cards .card").first().waitFor();
    await idle.getByText("Loading.").first().waitFor({ state: "detached" });
    let asked = 0;
    idle.on("request", () => { ++asked; });
    await idle.clock.runFor(60_000);
    assert.equal(asked, 0, "of an idle page, in a minute of its clock");
    await warpmind.text("queue", "add", path.join(scratch, "column_sum"), "--provider", "sim", "--not-before", "+2h");
    const id = (await warpmind.json("queue", "list")).jobs[0].job_id;
    await idle.getByRole("button", { name: `Pause ${id}` }).waitFor();
    await warpmind.text("queue", "cancel", id);
    await idle.getByText("Nothing is queued.").waitFor();
    await idle.clock.runFor(60_000);
    const lists = 4;
    assert.ok(asked <= 3 * 2 * lists, `${asked} requests for two changes`); // the end of a job is told with it and with the base
    await idle.context().close();
  });

  let episode = "";
  await check("an episode shows its tree, its verdicts, and what was predicted and found", async () => {
    await card("column_sum").getByRole("link", { name: "column_sum" }).click();
    await heading(page, /^column_sum/).waitFor();
    episode = decodeURIComponent(page.url().split("/").at(-1));
    const stored = await warpmind.json("result", episode.replace("e-", "j-"));
    const steps = stored.job.episode.steps;
    const items = page.getByRole("treeitem");
    assert.equal(await items.count(), steps.length);
    const chosen = page.locator('[role="treeitem"][aria-selected="true"]');
    assert.equal(await chosen.getAttribute("data-step"), String(stored.job.episode.best_step));
    const best = steps[stored.job.episode.best_step];
    await page.getByText(best.verdict.reason).first().waitFor();
    await page.getByText(best.gradient.text).waitFor();
    await page.getByRole("img", { name: /^Expected before it was tried .*; predicted/ }).waitFor();
    await page.getByRole("heading", { name: /^Critique/ }).waitFor();
    await page.getByRole("img", { name: /^Roofline of .*predicted$/ }).waitFor();
  });

  await check("launches of the step stand beside those of the given kernel, as `why --profile` pairs them", async () => {
    const best = Number(await page.locator('[role="treeitem"][aria-selected="true"]').getAttribute("data-step"));
    const told = await warpmind.json("why", episode, String(best), "--profile", "--against", "0");
    const section = page.locator('section[aria-labelledby="launches"]');
    const table = section.getByRole("table");
    const plans = told.launches.flatMap((one) => [...(one.before ? ["given"] : []), ...(one.after ? [`step ${best}`] : [])]);
    await table.waitFor();
    assert.deepEqual(await table.locator('td[data-head="Of"]').allTextContents(), plans);
    const names = told.launches.flatMap((one) => [one.before, one.after]).filter((row) => row).map((row) => row.name);
    assert.deepEqual(await table.locator("tbody th").allTextContents(), names);
    const cell = (head) => table.locator(`td[data-head="${head}"]`).first().textContent();
    assert.match(await cell("Time"), /^[\d.]+ [µmn]s$/);
    assert.match(await cell("Moved"), /^[\d.]+ [KMG]?i?B \w+, [\d.]+ [kMGT]B\/s$/);
    const row = told.launches[0].before;
    assert.ok((await cell("Waits for")).startsWith(row.stall), await cell("Waits for"));
    if (row.line > 0) assert.match(await cell("Waits for"), new RegExp(`line ${row.line} \\S`));
    await section.getByText(`Caches were ${told.profile.caches}`).waitFor();
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 844 });
      await noSidewaysScroll(page, `the launches at ${width} px`);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.locator('[role="treeitem"][data-step="0"]').click();
    await section.getByRole("heading", { name: "Launches of step 0" }).waitFor();
    await table.waitFor();
    assert.deepEqual(new Set(await table.locator('td[data-head="Of"]').allTextContents()), new Set(["given"]));
    await page.locator(`[role="treeitem"][data-step="${best}"]`).click();
    await section.getByRole("heading", { name: `Launches of step ${best}` }).waitFor();
  });

  await check("any two kernels stand side by side, as text", async () => {
    const editors = page.locator(".diff .cm-content");
    await editors.nth(1).waitFor();
    await page.locator(".diff .cm-changedLine").first().waitFor();
    await page.getByLabel("Left").selectOption("1");
    await page.getByLabel("Right").selectOption("0");
    await page.locator(".diff .cm-content").nth(1).getByText("<img src=x").waitFor();
    await page.locator(".diff .cm-changedLine").first().waitFor();
    assert.equal(await page.locator("img").count(), 0);
    assert.match(await page.title(), /warpmind/);
  });

  await check("the tree is walked with arrow keys", async () => {
    const chosen = () => page.locator('[role="treeitem"][aria-selected="true"]').getAttribute("data-step");
    await page.locator('[role="treeitem"][aria-selected="true"]').focus();
    await page.keyboard.press("Home");
    assert.equal(await chosen(), "0");
    await page.keyboard.press("ArrowRight");
    assert.equal(await chosen(), "1");
    await page.keyboard.press("ArrowLeft");
    assert.equal(await chosen(), "0");
    await page.keyboard.press("End");
    assert.notEqual(await chosen(), "0");
  });

  await check("learning curves are drawn, with their numbers in a table", async () => {
    await visit(page, "curves", "Learning curves");
    await page.locator(".uplot canvas").first().waitFor();
    const table = page.getByRole("table", { name: "Every job of the night" });
    assert.equal(await table.locator("tbody tr").count(), tasks.length);
    await page.locator(".u-legend").getByText("column_sum (predicted)").first().waitFor();
  });

  await check("rooflines have a legend and shares of the limit, and begin without an error", async () => {
    await visit(page, "roofline", "Roofline");
    await page.getByRole("table", { name: /how near each is/ }).waitFor();
    assert.equal(await page.getByRole("alert").count(), 0);
    await page.getByLabel("Episode").selectOption(episode);
    const plot = page.getByRole("img", { name: /^Roofline of .*column_sum.* of the limit, predicted$/ });
    await plot.waitFor();
    assert.ok((await plot.locator("circle").count()) >= 2);
    await plot.getByText(/^FP32 [\d.]+ Tflop\/s$/).waitFor();
    for (const name of ["as given", "the best"]) await page.locator(".legend").getByText(name, { exact: true }).waitFor();
    const shares = await page.getByRole("table", { name: /how near each is/ }).locator("tbody small").allTextContents();
    assert.ok(shares.length >= 2 && shares.every((one) => one.endsWith(" %")), shares.join());
  });

  await check("the graph of techniques is drawn, and its evidence stands in a table", async () => {
    await visit(page, "knowledge", "Knowledge");
    await page.locator(".net canvas").first().waitFor();
    const table = page.getByRole("table", { name: /tried after what/ });
    await table.getByText("predicted").first().waitFor();
    await table.getByRole("link").first().waitFor();
    await page.locator(".net").scrollIntoViewIfNeeded();
  });

  let claim = "";
  await check("insights are searched for", async () => {
    claim = (await warpmind.json("kb", "add", "--claim", "Smurfs make kernels faster", "--technique", "unroll")).insight.id;
    await page.getByRole("searchbox").fill("smurfs");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("link", { name: "Smurfs make kernels faster" }).click();
    await heading(page, /^Insight/).waitFor();
  });

  const insight = async () => (await warpmind.json("kb", "show", claim)).insight;
  const confirm = async (button, reason) => {
    await page.getByRole("button", { name: button, exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Why?").fill(reason);
    await dialog.getByRole("button", { name: button.split(" ")[0], exact: true }).click();
  };
  await check("an insight is pinned and unpinned, and the base says so", async () => {
    await confirm("Pin", "<b id='owned'>seen it</b> myself");
    await page.getByRole("alert").filter({ hasText: "<b id='owned'>" }).waitFor(); // the base takes no markup
    assert.equal(await page.locator("#owned").count(), 0);
    await confirm("Pin", "seen it myself");
    await page.getByRole("button", { name: "Unpin", exact: true }).waitFor();
    assert.equal((await insight()).pinned, true);
    await page.getByRole("table", { name: "Newest first" }).getByText("seen it myself").waitFor();
    await confirm("Unpin", "not so sure");
    await page.getByRole("button", { name: "Pin", exact: true }).waitFor();
    assert.equal((await insight()).pinned, false);
  });

  await check("an insight is retired, and that is undone", async () => {
    await page.getByRole("button", { name: "Retire", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Leave it" }).click();
    assert.notEqual((await insight()).state, "deprecated");
    await confirm("Retire", "smurfs do not");
    await page.getByRole("button", { name: "Reinstate", exact: true }).waitFor();
    assert.equal((await insight()).state, "deprecated");
    const undo = await page.getByRole("button", { name: /^Undo change/ }).first().getAttribute("aria-label");
    await confirm(undo, "they do");
    await page.getByRole("button", { name: "Retire", exact: true }).waitFor();
    assert.notEqual((await insight()).state, "deprecated");
  });

  await check("everything is reached by keyboard alone, and the focus is always seen", async () => {
    await page.reload();
    await heading(page, /^Insight/).waitFor();
    await page.keyboard.press("Tab");
    assert.equal((await focused(page)).name, "Skip to the content");
    await page.keyboard.press("Enter");
    assert.equal((await focused(page)).tag, "main");
    await page.getByRole("button", { name: "Pin", exact: true }).waitFor();
    await page.keyboard.press("Tab");
    assert.equal((await focused(page)).name, "Pin");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.equal((await focused(page)).name, "Pin", "the focus comes back from a dialog");
    await page.keyboard.press("Shift+Tab");
    await page.reload();
    await heading(page, /^Insight/).waitFor();
    await tabTo(page, "Budget and rules");
    await page.keyboard.press("Enter");
    await heading(page, "Budget and rules").waitFor();
    await page.waitForFunction(() => document.activeElement.id === "main"); // after a link the focus is at the new content
    await page.getByLabel(/^Local time/).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Control+A");
    await page.keyboard.type("03:00-03:30");
    await page.keyboard.press("Enter");
    await page.getByText("Quiet hours are set.").waitFor();
    assert.equal((await warpmind.json("queue", "rules")).quiet_hours, "03:00-03:30");
    await tabTo(page, "Set quiet hours");
  });

  await check("limits are set, and what is left is seen", async () => {
    const field = page.getByLabel("tokens (0 = no limit)").first();
    await field.fill("5000");
    await page.getByRole("button", { name: "Set these limits" }).first().click();
    await page.getByText("0 of 5,000 tokens, 5,000 left").waitFor();
    assert.equal((await warpmind.json("queue", "rules")).night_limits.tokens, 5000);
  });

  const views = [["overview", "Overview"], ["episodes", "Episodes"], [`episode/${episode}`, /^column_sum/], ["curves", "Learning curves"],
    [`roofline/${episode}`, "Roofline"], ["knowledge", "Knowledge"], [`insight/${claim}`, /^Insight/], ["rules", "Budget and rules"]];
  const settled = (target) => target.getByText("Loading.").first().waitFor({ state: "detached" });
  await check("no view scrolls sideways at 360 px", async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    for (const [view, title] of views) {
      await visit(page, view, title);
      await settled(page);
      await noSidewaysScroll(page, view);
    }
    await visit(page, "overview", "Overview");
    await settled(page);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  await check("dark and light follow the system until somebody chooses", async () => {
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const becomes = (colour) => page.waitForFunction((wanted) => getComputedStyle(document.body).backgroundColor === wanted, colour);
    const light = await paper();
    await page.emulateMedia({ colorScheme: "dark" });
    await page.waitForFunction((old) => getComputedStyle(document.body).backgroundColor !== old, light);
    const dark = await paper();
    await visit(page, `episode/${episode}`, /^column_sum/);
    await settled(page);
    await page.getByRole("button", { name: "Use light colours" }).click();
    await becomes(light);
    await page.reload();
    await heading(page, /^column_sum/).waitFor();
    assert.equal(await paper(), light, "the choice outlives a reload");
    await page.getByRole("button", { name: "Use dark colours" }).click();
    await becomes(dark);
  });

  await check("a stream that breaks is taken up again without a reload, and what happened meanwhile is seen", async () => {
    // Chromium lets a stream go on that was open when it went offline: the page's own fetch is cut as well.
    await page.addInitScript(() => {
      const ask = window.fetch;
      window.fetch = (what, how = {}) => {
        if (what !== "/api/events") return ask(what, how);
        const cut = new AbortController();
        window.cutStream = () => cut.abort();
        return ask(what, { ...how, signal: AbortSignal.any([cut.signal, how.signal]) });
      };
    });
    await visit(page, "overview", "Overview");
    await page.reload();
    await page.getByText("live", { exact: true }).waitFor();
    await page.context().setOffline(true);
    await page.evaluate(() => window.cutStream());
    await page.getByRole("alert").filter({ hasText: "does not answer" }).waitFor();
    await warpmind.text("queue", "add", path.join(scratch, "column_sum"), "--provider", "sim", "--not-before", "+2h");
    const id = (await warpmind.json("queue", "list")).jobs[0].job_id;
    await page.context().setOffline(false);
    await page.getByRole("alert").first().waitFor({ state: "detached" });
    await page.getByText("live", { exact: true }).waitFor();
    await page.getByRole("button", { name: `Pause ${id}` }).waitFor();
    await warpmind.text("queue", "cancel", id);
    await page.getByText("Nothing is queued.").waitFor();
  });

  await check("a daemon that is started again asks for a new address", async () => {
    await warpmind.text("daemon", "stop");
    await page.getByText("connecting").waitFor();
    await warpmind.text("daemon", "start");
    await page.goto(await address());
    await heading(page, "Overview").waitFor();
    await page.getByRole("button", { name: "Leave" }).click();
    await page.getByRole("alert").filter({ hasText: "The session has ended." }).waitFor();
  });

  await check("nothing failed in the page, its policy refused nothing, and it asked nobody else", async () => {
    assert.deepEqual(page.faults.filter((fault) => !fault.includes("net::ERR_")), []);
  });
  console.log(`${checks} checks of the dashboard passed (waits end after ${patience / 1000} s)`);
} finally {
  await browser.close();
}
