/** The language server: `warpmind lsp` over standard input and output. */

import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";
import { showWinner, Winner } from "./diff";
import { program } from "./program";

function wishes(): Record<string, unknown> {
  const settings = vscode.workspace.getConfiguration("warpmind");
  const names = ["evaluations", "seconds", "provider", "device", "predict"];
  const given = names.map((name) => [name, settings.get(name)] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== null && value !== ""));
}

export function makeClient(): LanguageClient {
  const server: ServerOptions = { command: program(), args: ["lsp"] };
  const options: LanguageClientOptions = {
    documentSelector: [{ scheme: "file", language: "cuda-cpp" }],
    initializationOptions: wishes(),
    middleware: {
      executeCommand: async (command, words, next) => {
        const answer: unknown = await next(command, words);
        if (command === "warpmind.showResult" && answer) await showWinner(answer as Winner);
        if (command === "warpmind.insights") {
          await vscode.commands.executeCommand("warpmind.knowledge.focus");
        }
        return answer;
      },
      workspace: {
        didChangeConfiguration: async (_sections, next) => next(["warpmind"]),
      },
    },
    synchronize: { configurationSection: "warpmind" },
  };
  return new LanguageClient("warpmind", "warpmind", server, options);
}
