/** The given and the winning kernel side by side. Texts of the daemon, read-only. */

import * as vscode from "vscode";

/** What the command `warpmind.showResult` answers. */
export interface Winner {
  title: string;
  summary: string;
  given: string;
  better: string;
  /** Line of `better`, from 0, where its kernel begins. */
  line: number;
  /** The open file that can take it; empty when there is none. */
  uri: string;
}

const scheme = "warpmind";
const mostTexts = 32;

interface Text {
  text: string;
  file: string;
}
const texts = new Map<string, Text>();

export function register(context: vscode.ExtensionContext): void {
  const provider: vscode.TextDocumentContentProvider = {
    provideTextDocumentContent: (uri) => texts.get(uri.toString())?.text ?? "",
  };
  context.subscriptions.push(
    vscode.workspace.registerTextDocumentContentProvider(scheme, provider),
    vscode.commands.registerCommand("warpmind.applyShown", apply),
  );
}

let shown = 0;

function keep(name: string, text: string, file: string): vscode.Uri {
  const uri = vscode.Uri.from({ scheme, path: `/${++shown}/${name}.cu` });
  texts.set(uri.toString(), { text, file });
  while (texts.size > mostTexts) texts.delete(texts.keys().next().value as string);
  return uri;
}

export async function showWinner(winner: Winner): Promise<void> {
  const given = keep("given", winner.given, winner.uri);
  const better = keep("better", winner.better, winner.uri);
  // What was written above the kernel for it, helpers and a comment, may be longer than a window.
  const selection = new vscode.Range(winner.line, 0, winner.line, 0);
  await vscode.commands.executeCommand("vscode.diff", given, better, winner.title, { selection });
}

/** The button over the two kernels: the server edits the file, which is shown and not saved. */
async function apply(shownUri?: vscode.Uri): Promise<void> {
  const uri = shownUri ?? vscode.window.activeTextEditor?.document.uri;
  const file = uri && texts.get(uri.toString())?.file;
  if (!file) {
    await vscode.window.showInformationMessage(
      "Open the kernel of this episode's task, then show the result from the lens above it: it can be applied there.",
    );
    return;
  }
  await vscode.commands.executeCommand("warpmind.apply", { uri: file });
  await vscode.window.showTextDocument(vscode.Uri.parse(file));
}
