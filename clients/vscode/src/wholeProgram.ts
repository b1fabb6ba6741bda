/** A file that is a whole program: the command line takes it, in a terminal, as the user. */

import * as path from "node:path";
import * as vscode from "vscode";
import { ResponseError } from "vscode-languageclient/node";
import { program } from "./program";

/** Path of the program that the language server refused to optimise; undefined for other errors. */
export function programRefused(error: unknown): string | undefined {
  if (!(error instanceof ResponseError)) return undefined;
  const data = error.data as { program?: unknown } | undefined;
  return typeof data?.program === "string" ? data.program : undefined;
}

/** The user's settings as flags of the command line. */
function flags(): string[] {
  const settings = vscode.workspace.getConfiguration("warpmind");
  const names = ["evaluations", "seconds", "provider", "device"];
  const set = names.map((name) => [name, settings.get<string | number | null>(name)] as const);
  return set.filter(([, value]) => value !== null && value !== "").flatMap(([name, value]) => [`--${name}`, `${value}`]);
}

/** Offers to run `warpmind optimize FILE --run COMMAND`, and shows what came out of it. */
export async function offerToRun(file: string, why: string): Promise<void> {
  const run = "Run in Terminal…";
  if ((await vscode.window.showInformationMessage(`warpmind: ${why}`, run)) !== run) return;
  const command = await vscode.window.showInputBox({
    title: "How is the program run?",
    prompt: "Its first word is the built program; it runs in the folder of the file",
    value: "./a.out",
  });
  if (!command) return;
  const words = ["optimize", path.basename(file), "--run", command, ...flags()];
  const quoted = words.map((value) => ({ value, quoting: vscode.ShellQuoting.Strong }));
  const execution = new vscode.ShellExecution(program(), quoted, { cwd: path.dirname(file) });
  const name = `optimize ${path.basename(file)}`;
  const task = new vscode.Task({ type: "warpmind", file }, vscode.TaskScope.Workspace, name, "warpmind", execution);
  const started = await vscode.tasks.executeTask(task);
  const watch = vscode.tasks.onDidEndTaskProcess(async (end) => {
    if (end.execution !== started) return;
    watch.dispose();
    if (end.exitCode === 0) await showBoth(file);
  });
}

async function showBoth(file: string): Promise<void> {
  const better = vscode.Uri.file(file.replace(/(\.[^.]*)?$/, ".optimized$1"));
  try {
    await vscode.workspace.fs.stat(better);
  } catch {
    return; // nothing better was found; the terminal says so
  }
  const title = `${path.basename(file)}: given and optimized`;
  await vscode.commands.executeCommand("vscode.diff", vscode.Uri.file(file), better, title);
}
