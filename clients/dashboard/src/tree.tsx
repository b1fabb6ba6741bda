/** The steps of an episode as a tree: whose kernel was edited. Arrow keys walk it. */

import { useMemo, useRef } from "preact/hooks";

import { gain, source, words } from "./format";
import { parentOf } from "./episode";
import type { Episode, Step } from "./wire";

export interface Row {
  position: number;
  level: number;
  parent: number;
}

/** In the order in which a person reads a tree: each step, then what was made of it. */
export function rowsOf(steps: readonly Step[]): Row[] {
  const children = new Map<number, number[]>();
  steps.forEach((step, i) => {
    const parent = parentOf(step, i);
    children.set(parent, [...(children.get(parent) ?? []), i]);
  });
  const rows: Row[] = [];
  const open: Row[] = (children.get(-1) ?? []).map((position) => ({ position, level: 1, parent: -1 })).reverse();
  for (let row = open.pop(); row !== undefined; row = open.pop()) {
    rows.push(row);
    const { position, level } = row;
    for (const child of [...(children.get(position) ?? [])].reverse()) open.push({ position: child, level: level + 1, parent: position });
  }
  return rows;
}

export function StepTree({ episode, chosen, choose }: { episode: Episode; chosen: number; choose: (position: number) => void }) {
  const rows = useMemo(() => rowsOf(episode.steps), [episode]);
  const list = useRef<HTMLUListElement>(null);
  const kind = source(episode.provider);
  const go = (row: Row | undefined) => {
    if (row === undefined) return;
    choose(row.position);
    list.current?.querySelector<HTMLElement>(`[data-step="${row.position}"]`)?.focus();
  };
  const walk = (event: KeyboardEvent) => {
    const at = rows.findIndex((row) => row.position === chosen);
    const here = rows[at];
    if (here === undefined) return;
    const target: Record<string, Row | undefined> = {
      ArrowDown: rows[at + 1],
      ArrowUp: rows[at - 1],
      ArrowLeft: rows.find((row) => row.position === here.parent),
      ArrowRight: rows.find((row) => row.parent === here.position),
      Home: rows[0],
      End: rows.at(-1),
    };
    if (!(event.key in target)) return;
    event.preventDefault();
    go(target[event.key]);
  };
  return (
    <ul role="tree" aria-label="Steps of the episode" ref={list} onKeyDown={walk}>
      {rows.map(({ position, level }) => {
        const step = episode.steps[position] as Step;
        const seen = step.verdict.comparison;
        return (
          <li key={position} role="treeitem" aria-level={level} aria-selected={position === chosen} data-step={position}
            data-level={Math.min(level, 8)} tabIndex={position === chosen ? 0 : -1} onClick={() => go({ position, level, parent: -1 })}>
            <span class={`dot state-${step.verdict.outcome}`} aria-hidden="true" />
            {position}. {position === 0 ? "as given" : words(step.candidate.technique)}{" "}
            <small>
              {words(step.verdict.outcome)}{seen && `, ${gain(seen.ratio)} ${kind}`}
              {position === episode.best_step && ", best"}
            </small>
          </li>
        );
      })}
    </ul>
  );
}
