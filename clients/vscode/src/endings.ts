/** What became of a job that was started here, with buttons for what comes next. */

import * as vscode from "vscode";

/** What the notification `$/warpmind/ended` says. */
export interface Ending {
  job_id: string;
  uri: string;
  message: string;
  failed: boolean;
  /** Something better was found, and the file as it stands can take it. */
  applies: boolean;
}

const compare = "Compare";
const apply = "Apply";

export async function show(ending: Ending): Promise<void> {
  const tell = ending.failed ? vscode.window.showWarningMessage : vscode.window.showInformationMessage;
  const choice = await tell(ending.message, ...(ending.applies ? [compare, apply] : []));
  if (choice === compare) {
    await vscode.commands.executeCommand("warpmind.showResult", { uri: ending.uri, job_id: ending.job_id });
  }
  if (choice === apply) {
    await vscode.commands.executeCommand("warpmind.apply", { uri: ending.uri });
    await vscode.window.showTextDocument(vscode.Uri.parse(ending.uri));
  }
}
