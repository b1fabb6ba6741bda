/** editor_test.mjs TOOLS URL SCRATCH BIN PICTURES: what a user does with the extension, from no program to an applied kernel. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { until, Workbench } from "./workbench.mjs";

const [tools, url, scratch, bin, pictures] = process.argv.slice(2);
const kernel = path.join(scratch, "project/softmax/kernel.cu");
const given = readFileSync(kernel, "utf8");
let bench;

function warpmind(...words) {
  return execFileSync(path.join(bin, "warpmind"), [...words, "--json"], { encoding: "utf8" });
}

async function saysHowToGetTheProgram() {
  await bench.file("softmax/kernel.cu");
  const said = await bench.notification("cannot be run");
  assert.match(await said.innerText(), /Build warpmind \(make demo\).*warpmind\.program/s);
  await bench.status("warning");
  await bench.sideBar();
  const welcome = bench.pane("Episodes").locator(".welcome-view-content");
  await welcome.getByText("Try Again").waitFor();
  assert.deepEqual(await bench.lenses(), []);
  await bench.picture("absent");
  await said.getByText("Open Settings").click();
  const setting = bench.page.locator('.settings-editor [data-key="warpmind.program"]').first();
  await setting.locator("input").fill(path.join(bin, "warpmind"));
  await bench.page.keyboard.press("Enter");
  await bench.status("zap"); // without a reload
  await bench.page.keyboard.press("Escape");
  await bench.closeNotifications();
  await bench.file("softmax/kernel.cu");
}

async function showsLensesOverTheKernel() {
  const optimize = await bench.lens(/^Optimize$/);
  await bench.lens(/^Explain bottleneck/);
  const line = bench.page.locator(".view-line", { hasText: "__global__" }).first();
  const above = bench.page.locator(".view-line", { hasText: "#include" }).first();
  const [lens, at, before] = await Promise.all([optimize, line, above].map((one) => one.boundingBox()));
  assert.ok(before.y < lens.y && lens.y < at.y, "the lens is not right above the kernel");
  return optimize;
}

async function optimizes(optimize) {
  await optimize.click();
  await bench.lens(/^Optimizing: .*0 of 1/);
  const running = await bench.notification(/Optimizing row_softmax_f16/);
  await running.getByText("Cancel").waitFor();
  await bench.pane("Episodes").locator(".monaco-list-row", { hasText: /row_softmax_f16: (queued|running)/ }).waitFor();
  await bench.picture("running");
  const ended = await bench.notification(/row_softmax_f16: improved/);
  assert.match(await ended.innerText(), /[\d.]+× faster \(predicted\)/);
  await running.waitFor({ state: "hidden" });
  await bench.lens(/µs predicted for NVIDIA H200, best .* faster/);
  await bench.lens(/^Apply /);
  const { episode } = JSON.parse(warpmind("result", "1")).job;
  assert.equal(episode.steps.length, 2, "the setting warpmind.evaluations allows one candidate");
}

async function listsEpisodesAndInsights() {
  const episodes = bench.pane("Episodes").locator(".monaco-list-row");
  await episodes.filter({ hasText: /row_softmax_f16: [\d.]+× faster/ }).first().waitFor();
  const insights = bench.pane("Insights").locator(".monaco-list-row");
  await insights.first().waitFor();
  await bench.picture("episode");
}

/** The kernel itself is in sight, not what was written above it. */
async function seesTheKernelInTheDifference() {
  const diff = bench.page.locator(".monaco-diff-editor");
  await diff.locator(".editor.modified .view-line", { hasText: "__global__" }).first().waitFor();
  await diff.locator(".editor.original .view-line", { hasText: "__global__" }).first().waitFor();
}

async function comparesFromTheMessage() {
  const ended = await bench.notification(/row_softmax_f16: improved/);
  await ended.getByText("Compare").click();
  await seesTheKernelInTheDifference();
  await bench.command("View: Close Editor");
  await bench.page.locator(".monaco-diff-editor").waitFor({ state: "detached" });
  await bench.closeNotifications();
}

async function explains() {
  await (await bench.lens(/^Explain bottleneck: /)).click();
  const said = await bench.notification(/row_softmax/);
  assert.match(await said.innerText(), /warpmind: row_softmax/);
  await bench.closeNotifications();
  await bench.page.locator(".view-line span", { hasText: "row_softmax" }).last().hover();
  await bench.page.locator(".monaco-hover", { hasText: "bottleneck" }).first().waitFor();
  await bench.page.keyboard.press("Escape");
}

async function showsTheDifferenceAndAppliesIt() {
  await (await bench.lens(/µs predicted for NVIDIA H200, best/)).click();
  await seesTheKernelInTheDifference();
  await bench.picture("diff");
  await bench.page.locator('.editor-actions [aria-label^="Apply to the File"]').click();
  await bench.page.locator(".tab.active", { hasText: "kernel.cu" }).waitFor();
  await bench.lens(/faster than the given kernel/, "attached");
  assert.equal(readFileSync(kernel, "utf8"), given, "nothing is saved but by the user");
  assert.match((await bench.lines())[0], /this variant is launched as/);
  await bench.picture("applied");
  await bench.page.keyboard.press("Control+S");
  const { episode } = JSON.parse(warpmind("result", "1")).job;
  const best = episode.steps[episode.best_step].candidate.kernel.source;
  await until(bench, "the saved file is the winning kernel", () => readFileSync(kernel, "utf8").endsWith(best));
  assert.ok(!(await bench.lenses()).some((title) => title.startsWith("Apply ")), "applied twice");
}

async function sendsAWholeProgramToTheTerminal() {
  await bench.file("program/smooth.cu");
  await (await bench.lens(/^Optimize$/)).click();
  const said = await bench.notification(/smooth.cu is a whole program/);
  await said.getByText("Run in Terminal…").click();
  await bench.page.locator(".quick-input-widget input").waitFor();
  await bench.page.keyboard.press("Enter");
  const better = path.join(scratch, "project/program/smooth.optimized.cu");
  await until(bench, `${better} is written`, () => existsSync(better));
  await bench.page.locator(".tab", { hasText: "smooth.cu: given and optimized" }).waitFor();
  await bench.page.locator(".monaco-diff-editor .editor.modified .view-line").first().waitFor();
}

bench = await Workbench.open({ tools, url, scratch, pictures });
const steps = [saysHowToGetTheProgram, showsLensesOverTheKernel, optimizes, listsEpisodesAndInsights,
  comparesFromTheMessage, explains, showsTheDifferenceAndAppliesIt, sendsAWholeProgramToTheTerminal];
let last;
for (const step of steps) {
  try {
    const begun = Date.now();
    last = await step(last);
    console.log(`${step.name}: ${((Date.now() - begun) / 1000).toFixed(1)} s`);
  } catch (error) {
    await bench.page.screenshot({ path: path.join(tmpdir(), "warpmind-vscode-failed.png") });
    console.error(`FAILED in ${step.name}: ${error.stack}`);
    console.error(`lenses: ${(await bench.lenses()).join(" | ")}`);
    await bench.close();
    process.exit(1);
  }
}
console.log(`VS Code works: code-server ${await version()}`);
await bench.close();

async function version() {
  const manifest = path.join(tools, "node_modules/code-server/package.json");
  return JSON.parse(readFileSync(manifest, "utf8")).version + `, Chromium ${bench.browser.version()}`;
}
