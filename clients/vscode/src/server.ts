/** The language server: `warpmind lsp` over standard input and output. */

import { ChildProcess, spawn } from "node:child_process";
import * as vscode from "vscode";
import { CloseAction, ErrorAction, ErrorHandler, LanguageClient, LanguageClientOptions } from "vscode-languageclient/node";
import { showWinner, Winner } from "./diff";
import { program } from "./program";
import { Lists } from "./trees";
import { offerToRun, programRefused } from "./wholeProgram";

const mostRestarts = 3; // within restartsCount
const restartsCount = 180_000; // ms

/** A client that says what went wrong once, with the program's own last sentence. */
export class Client extends LanguageClient {
  private said = "";
  private readonly restarts: number[] = [];

  constructor(options: LanguageClientOptions) {
    const here: { self?: Client } = {};
    const handler: ErrorHandler = {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => ({ action: here.self?.afterClose() ?? CloseAction.DoNotRestart, handled: true }),
    };
    const start = (): Promise<ChildProcess> => Promise.resolve(here.self!.run());
    super("warpmind", "warpmind", start, { ...options, errorHandler: handler, initializationFailedHandler: () => false });
    here.self = this;
  }

  /** What the program said last, for a person. */
  get reason(): string {
    return this.said.trim().split("\n").pop() || "it ended without a word";
  }

  /** Only the log: who asked for something says what became of it. */
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }

  private run(): ChildProcess {
    this.said = "";
    const child = spawn(program(), ["lsp"]);
    child.stderr.on("data", (text) => (this.said = (this.said + String(text)).slice(-4096)));
    child.on("error", (error) => (this.said = error.message));
    return child;
  }

  private afterClose(): CloseAction {
    if (!this.initializeResult) return CloseAction.DoNotRestart;
    const now = Date.now();
    this.restarts.push(now);
    const recent = this.restarts.filter((at) => now - at < restartsCount).length;
    if (recent <= mostRestarts) return CloseAction.Restart;
    void vscode.window.showErrorMessage(`warpmind lsp ended ${recent} times within three minutes: ${this.reason}`);
    return CloseAction.DoNotRestart;
  }
}

function wishes(): Record<string, unknown> {
  const settings = vscode.workspace.getConfiguration("warpmind");
  const names = ["evaluations", "seconds", "provider", "device", "predict"];
  const given = names.map((name) => [name, settings.get(name)] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== null && value !== ""));
}

type Next = (command: string, words: unknown[]) => vscode.ProviderResult<unknown>;

async function execute(lists: Lists, command: string, words: unknown[], next: Next): Promise<unknown> {
  try {
    const answer = await next(command, words);
    if (command === "warpmind.optimize") lists.refresh(); // it is there now, as a job that runs
    if (command === "warpmind.showResult" && answer) await showWinner(answer as Winner);
    if (command === "warpmind.insights" && answer) {
      const about = (words[0] as { kernel?: string } | undefined)?.kernel ?? "";
      await lists.showClaims(about, (answer as { insights: string[] }).insights);
    }
    return answer;
  } catch (error) {
    const file = programRefused(error);
    if (file === undefined) throw error;
    void offerToRun(file, (error as Error).message);
    return undefined;
  }
}

export function makeClient(lists: Lists): Client {
  return new Client({
    documentSelector: [{ scheme: "file", language: "cuda-cpp" }],
    initializationOptions: { ...wishes(), showsEndings: true },
    middleware: {
      executeCommand: (command, words, next) => execute(lists, command, words as unknown[], next),
    },
    synchronize: { configurationSection: "warpmind" },
  });
}
