/** The program `warpmind`: where it is, what it says, and how to get it. */

import { execFile } from "node:child_process";
import * as vscode from "vscode";

export function program(): string {
  return vscode.workspace.getConfiguration("warpmind").get<string>("program") || "warpmind";
}

export function isThere(): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(program(), ["--version"], { timeout: 10_000 }, (error) => resolve(!error));
  });
}

/** Shows the setting where it counts: the program runs where the files are. */
export async function openSettings(): Promise<void> {
  const show = vscode.env.remoteName ? "openRemoteSettings" : "openSettings";
  await vscode.commands.executeCommand(`workbench.action.${show}`, { query: "warpmind.program" });
}

/** Says how to get it; nobody waits for the user's choice. */
export async function sayHowToGetIt(): Promise<void> {
  const settings = "Open Settings";
  const again = "Try Again";
  const choice = await vscode.window.showWarningMessage(
    `The program "${program()}" cannot be run. Build warpmind (make demo) and put build/release/bin on PATH ` +
      `in ~/.profile, or set warpmind.program to its path.`,
    settings,
    again,
  );
  if (choice === settings) await openSettings();
  if (choice === again) await vscode.commands.executeCommand("warpmind.restart");
}
