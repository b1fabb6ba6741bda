/** Starts the language server and shows what it knows. Everything else happens in the daemon. */

import * as vscode from "vscode";
import { ExecuteCommandRequest, LanguageClient, State } from "vscode-languageclient/node";
import * as diff from "./diff";
import { isThere, program } from "./program";
import { makeClient } from "./server";
import * as trees from "./trees";

let client: LanguageClient | undefined;

async function start(): Promise<void> {
  if (client || !(await isThere())) return;
  client = makeClient();
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    await vscode.window.showErrorMessage(
      `warpmind lsp did not start: ${error instanceof Error ? error.message : String(error)}. ` +
        `Run "${program()} doctor" in a terminal to see what is missing.`,
    );
  }
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  await running?.dispose();
}

async function ask<T>(command: string, argument: object): Promise<T | undefined> {
  if (!client || client.state !== State.Running) return undefined;
  return client.sendRequest(ExecuteCommandRequest.type, { command, arguments: [argument] });
}

function statusItem(context: vscode.ExtensionContext): () => void {
  const item = vscode.window.createStatusBarItem("warpmind", vscode.StatusBarAlignment.Left);
  item.name = "warpmind";
  item.command = "warpmind.episodes.focus";
  context.subscriptions.push(item);
  return () => {
    const runs = client?.state === State.Running;
    item.text = runs ? "$(zap) warpmind" : "$(warning) warpmind";
    item.tooltip = runs
      ? "warpmind is connected. Show its episodes"
      : "warpmind is not running. See its output, or run warpmind doctor";
    item.show();
  };
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

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  diff.register(context);
  registerMcp(context);
  const refresh = trees.register(context, ask);
  const showStatus = statusItem(context);
  const begin = async (): Promise<void> => {
    await start();
    client?.onDidChangeState(showStatus);
    client?.onNotification("$/warpmind/episodes", refresh);
    showStatus();
    refresh();
  };
  context.subscriptions.push(
    vscode.commands.registerCommand("warpmind.restart", async () => {
      await stop();
      await begin();
    }),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("warpmind.program")) {
        await stop();
        await begin();
      }
    }),
  );
  await begin();
}

export async function deactivate(): Promise<void> {
  await stop();
}
