/** The program `warpmind`: where it is, what it says, and how to get it. */

import { execFile } from "node:child_process";
import * as vscode from "vscode";

export function program(): string {
  return vscode.workspace.getConfiguration("warpmind").get<string>("program") || "warpmind";
}

/** False when it cannot be run; the user has then been told how to get it. */
export async function isThere(): Promise<boolean> {
  const found = await new Promise<boolean>((resolve) => {
    execFile(program(), ["--version"], { timeout: 10_000 }, (error) => resolve(!error));
  });
  if (found) return true;
  const settings = "Open Settings";
  const choice = await vscode.window.showWarningMessage(
    `The program "${program()}" cannot be run. Build warpmind (make demo, then put build/release/bin on PATH), ` +
      `or set warpmind.program to its path.`,
    settings,
  );
  if (choice === settings) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "warpmind.program");
  }
  return false;
}
