/** The status bar item, and the context that the empty lists look at. */

import * as vscode from "vscode";

export type Status = "absent" | "starting" | "connected" | "lost";

interface Look {
  icon: string;
  tooltip: string;
  command: string;
}
const looks: Record<Status, Look> = {
  absent: {
    icon: "warning",
    tooltip: "The program warpmind cannot be run. Click to see how to get it",
    command: "warpmind.howToGetIt",
  },
  starting: { icon: "sync~spin", tooltip: "warpmind is starting", command: "warpmind.restart" },
  connected: {
    icon: "zap",
    tooltip: "warpmind is connected. Click to show its episodes",
    command: "warpmind.episodes.focus",
  },
  lost: {
    icon: "warning",
    tooltip: 'warpmind is not connected. Click to connect again; "warpmind doctor" says what is missing',
    command: "warpmind.restart",
  },
};

export function register(context: vscode.ExtensionContext): (status: Status) => void {
  const item = vscode.window.createStatusBarItem("warpmind", vscode.StatusBarAlignment.Left);
  item.name = "warpmind";
  context.subscriptions.push(item);
  return (status) => {
    const look = looks[status];
    item.text = `$(${look.icon}) warpmind`;
    item.tooltip = look.tooltip;
    item.command = look.command;
    item.show();
    void vscode.commands.executeCommand("setContext", "warpmind.status", status);
  };
}
