/** Two lists: the newest episodes, and insights of the base. */

import * as vscode from "vscode";

interface Listed {
  job_id: string;
  state: string;
  task: string;
  provider: string;
  episode_id: string;
  outcome: string;
  device: string;
  ratio: number;
  technique: string;
  summary: string;
}
interface Insight {
  id: string;
  state: string;
  claim: string;
}
class List<T> implements vscode.TreeDataProvider<T> {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;

  constructor(
    private readonly load: () => Promise<T[]>,
    private readonly show: (item: T) => vscode.TreeItem,
  ) {}

  refresh(): void {
    this.changed.fire();
  }
  getTreeItem(item: T): vscode.TreeItem {
    return this.show(item);
  }
  async getChildren(item?: T): Promise<T[]> {
    return item === undefined ? this.load() : [];
  }
}

function episodeItem(one: Listed): vscode.TreeItem {
  const gain = one.ratio > 1 ? `${one.ratio.toFixed(2)}× faster` : one.outcome || one.state;
  const item = new vscode.TreeItem(`${one.task}: ${gain}`);
  item.id = one.job_id;
  item.description = [one.job_id, one.provider, one.device].filter(Boolean).join(" · ");
  item.tooltip = one.summary;
  item.iconPath = new vscode.ThemeIcon(one.ratio > 1 ? "zap" : "circle-outline");
  if (one.episode_id) {
    item.command = { command: "warpmind.showResult", title: "Show", arguments: [{ job_id: one.job_id }] };
  }
  return item;
}

function insightItem(one: Insight): vscode.TreeItem {
  const item = new vscode.TreeItem(one.claim);
  item.id = one.id;
  item.description = `${one.state} · ${one.id.slice(0, 10)}`;
  item.tooltip = one.claim;
  item.iconPath = new vscode.ThemeIcon("lightbulb");
  return item;
}

/** A command of the language server. */
export type Ask = <T>(command: string, argument: object) => Promise<T | undefined>;

/** Registers both; answers what refreshes them. */
export function register(context: vscode.ExtensionContext, ask: Ask): () => void {
  const episodes = new List<Listed>(async () => {
    const list = await ask<{ episodes: Listed[] }>("warpmind.listEpisodes", {});
    return list?.episodes ?? [];
  }, episodeItem);
  const knowledge = new List<Insight>(async () => {
    const found = await ask<{ insights: Insight[] }>("warpmind.searchInsights", {});
    return found?.insights ?? [];
  }, insightItem);
  const refresh = (): void => {
    episodes.refresh();
    knowledge.refresh();
  };
  context.subscriptions.push(
    vscode.window.registerTreeDataProvider("warpmind.episodes", episodes),
    vscode.window.registerTreeDataProvider("warpmind.knowledge", knowledge),
    vscode.commands.registerCommand("warpmind.refresh", refresh),
  );
  return refresh;
}
