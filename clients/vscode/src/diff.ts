/** The given and the winning kernel side by side. Texts of the daemon, read-only. */

import * as vscode from "vscode";

/** What the command `warpmind.showResult` answers. */
export interface Winner {
  title: string;
  summary: string;
  given: string;
  better: string;
}

const scheme = "warpmind";
const texts = new Map<string, string>();
const mostTexts = 32;

export function register(context: vscode.ExtensionContext): void {
  const provider: vscode.TextDocumentContentProvider = {
    provideTextDocumentContent: (uri) => texts.get(uri.toString()) ?? "",
  };
  context.subscriptions.push(vscode.workspace.registerTextDocumentContentProvider(scheme, provider));
}

let shown = 0;

function keep(name: string, text: string): vscode.Uri {
  const uri = vscode.Uri.from({ scheme, path: `/${++shown}/${name}.cu` });
  texts.set(uri.toString(), text);
  while (texts.size > mostTexts) texts.delete(texts.keys().next().value as string);
  return uri;
}

export async function showWinner(winner: Winner): Promise<void> {
  const given = keep("given", winner.given);
  const better = keep("better", winner.better);
  await vscode.commands.executeCommand("vscode.diff", given, better, winner.title);
}
