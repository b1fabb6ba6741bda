/** The given and the winning kernel side by side. Texts of the daemon, read-only. */

import * as vscode from "vscode";

/** What the command `warpmind.showResult` answers. */
export interface Winner {
  title: string;
  summary: string;
  given: string;
  better: string;
  /** Lines, from 0, where the kernel of each begins. */
  given_line: number;
  better_line: number;
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

interface Place {
  uri: vscode.Uri;
  line: number;
}
const looks = 12;
const betweenLooks = 150; // ms

function lineRange(line = 0): vscode.Range {
  return new vscode.Range(line, 0, line, 0);
}

function isInSight(editor: vscode.TextEditor, line: number): boolean {
  return editor.visibleRanges.some((range) => range.start.line <= line && line <= range.end.line);
}

/**
 * Sees to it for a moment that both kernels stay in sight: once the editor has compared the texts it fills the gaps
 * between them, aligns the sides only when one of them scrolls, and tells nobody.
 */
async function keepInSight(given: Place, better: Place): Promise<void> {
  for (let look = 0; look < looks; ++look) {
    const find = (place: Place): vscode.TextEditor | undefined =>
      vscode.window.visibleTextEditors.find((editor) => editor.document.uri.toString() === place.uri.toString());
    const [left, right] = [find(given), find(better)];
    if (left && right && !(isInSight(left, given.line) && isInSight(right, better.line))) {
      const where = look % 2 === 0 ? vscode.TextEditorRevealType.AtTop : vscode.TextEditorRevealType.InCenter;
      right.revealRange(lineRange(better.line), where);
    }
    await new Promise((done) => setTimeout(done, betweenLooks));
  }
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
  const selection = lineRange(winner.better_line);
  await vscode.commands.executeCommand("vscode.diff", given, better, winner.title, { selection });
  await keepInSight({ uri: given, line: winner.given_line }, { uri: better, line: winner.better_line });
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
