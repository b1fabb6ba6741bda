/** Two lists: the newest episodes, and insights of the base. */

import * as vscode from "vscode";
import type { EpisodeListResult, InsightState, ListedEpisode, RetrievalAnswer, RetrievedInsight } from "./wire";

/** Of the base, or what a lens over a kernel says: without id and state. */
type Claim = Pick<RetrievedInsight, "id" | "claim"> & { state: InsightState | "" };

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

function episodeItem(one: ListedEpisode): vscode.TreeItem {
  const gain = one.ratio > 1 ? `${one.ratio.toFixed(2)}× faster` : one.outcome || one.state;
  const item = new vscode.TreeItem(`${one.task}: ${gain}`);
  item.id = one.job_id;
  const how = one.provider === "sim" ? "predicted" : one.provider === "gpu" ? "measured" : one.provider;
  item.description = [how, one.device, one.job_id].filter(Boolean).join(" · ");
  item.tooltip = one.summary;
  item.iconPath = new vscode.ThemeIcon(one.ratio > 1 ? "zap" : "circle-outline");
  if (one.episode_id) {
    item.command = { command: "warpmind.showResult", title: "Show", arguments: [{ job_id: one.job_id }] };
  }
  return item;
}

function insightItem(one: Claim): vscode.TreeItem {
  const item = new vscode.TreeItem(one.claim);
  item.id = one.id || undefined;
  item.description = one.id && `${one.state} · ${one.id.slice(0, 10)}`;
  item.tooltip = one.claim;
  item.iconPath = new vscode.ThemeIcon("lightbulb");
  return item;
}

/** A command of the language server. */
export type Ask = <T>(command: string, argument: object) => Promise<T | undefined>;

export interface Lists {
  /** Loads both anew. */
  refresh(): void;
  /** Shows these claims about one kernel until the next refresh. */
  showClaims(kernel: string, claims: string[]): Promise<void>;
}

export function register(context: vscode.ExtensionContext, ask: Ask): Lists {
  const episodes = new List<ListedEpisode>(async () => {
    const list = await ask<EpisodeListResult>("warpmind.listEpisodes", {});
    return list?.episodes ?? [];
  }, episodeItem);
  let chosen: Claim[] | undefined;
  const knowledge = new List<Claim>(async () => {
    if (chosen) return chosen;
    const found = await ask<RetrievalAnswer>("warpmind.searchInsights", {});
    return found?.insights ?? [];
  }, insightItem);
  const view = vscode.window.createTreeView("warpmind.knowledge", { treeDataProvider: knowledge });
  const show = (insights: Claim[] | undefined, about: string): void => {
    chosen = insights;
    view.description = about;
    knowledge.refresh();
  };
  const lists: Lists = {
    refresh: () => {
      episodes.refresh();
      show(undefined, "");
    },
    showClaims: async (kernel, claims) => {
      show(claims.map((claim) => ({ id: "", state: "", claim })), `for ${kernel}`);
      await vscode.commands.executeCommand("warpmind.knowledge.focus");
    },
  };
  context.subscriptions.push(
    view,
    vscode.window.registerTreeDataProvider("warpmind.episodes", episodes),
    vscode.commands.registerCommand("warpmind.refresh", () => lists.refresh()),
  );
  return lists;
}
