/** Starts the language server and shows what it knows. Everything else happens in the daemon. */

import * as vscode from "vscode";
import { ExecuteCommandRequest, State } from "vscode-languageclient/node";
import * as diff from "./diff";
import * as endings from "./endings";
import { isThere, openSettings, program, sayHowToGetIt } from "./program";
import { Client, makeClient } from "./server";
import * as status from "./status";
import * as trees from "./trees";

let client: Client | undefined;

async function ask<T>(command: string, argument: object): Promise<T | undefined> {
  if (!client || client.state !== State.Running) return undefined;
  return client.sendRequest(ExecuteCommandRequest.type, { command, arguments: [argument] });
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  // One that never started cannot be stopped: there is nothing to end then.
  await running?.dispose().catch(() => undefined);
}

/** For agents in this editor: the daemon as an MCP server, without any configuration. */
function registerMcp(context: vscode.ExtensionContext): void {
  if (!vscode.lm?.registerMcpServerDefinitionProvider) return;
  context.subscriptions.push(
    vscode.lm.registerMcpServerDefinitionProvider("warpmind.mcp", {
      provideMcpServerDefinitions: () => [
        new vscode.McpStdioServerDefinition("warpmind", program(), ["mcp"]),
      ],
    }),
  );
}

/** Connects anew; `show` is told how it goes. Never waits for the user. */
async function begin(show: (now: status.Status) => void, lists: trees.Lists): Promise<void> {
  await stop();
  show("starting");
  if (!(await isThere())) {
    show("absent");
    lists.refresh();
    void sayHowToGetIt();
    return;
  }
  const started = makeClient(lists);
  client = started;
  started.onDidChangeState((change) => {
    if (client !== started) return;
    show(change.newState === State.Running ? "connected" : change.newState === State.Starting ? "starting" : "lost");
    lists.refresh();
  });
  started.onNotification("$/warpmind/episodes", () => lists.refresh());
  started.onNotification("$/warpmind/ended", (ending: endings.Ending) => void endings.show(ending));
  try {
    await started.start();
  } catch {
    show("lost");
    void vscode.window.showErrorMessage(
      `warpmind lsp did not start: ${started.reason}; ${program()} doctor, in a terminal, says what is missing`,
    );
  }
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  diff.register(context);
  registerMcp(context);
  const lists = trees.register(context, ask);
  const show = status.register(context);
  // One start after the other: a setting may change while the last one is still under way.
  let last = Promise.resolve();
  const again = (): Promise<void> => (last = last.then(() => begin(show, lists)));
  context.subscriptions.push(
    vscode.commands.registerCommand("warpmind.restart", again),
    vscode.commands.registerCommand("warpmind.howToGetIt", () => void sayHowToGetIt()),
    vscode.commands.registerCommand("warpmind.openSettings", openSettings),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("warpmind.program")) void again();
    }),
  );
  await again();
}

export async function deactivate(): Promise<void> {
  await stop();
}
