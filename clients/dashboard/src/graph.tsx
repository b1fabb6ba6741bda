/** Techniques and what followed them, drawn by sigma. For the eye alone: list and table beside it say the same. */

import Graph_ from "graphology";
import { useEffect, useRef, useState } from "preact/hooks";
import Sigma from "sigma";

import { source } from "./format";
import { techniqueName } from "./knowledge";
import { colour } from "./theme";
import type { EdgeStatistics } from "./wire";

export interface GraphProps {
  edges: EdgeStatistics[];
  chosen: string;
  choose: (name: string) => void;
}

const start = "(start)"; // a key that no technique has

/** In rings by the distance from the start, so that the picture is the same every time. */
function places(edges: EdgeStatistics[]): Map<string, { x: number; y: number; size: number }> {
  const weight = new Map<string, number>();
  const next = new Map<string, Set<string>>();
  for (const edge of edges) {
    const from = edge.from || start;
    weight.set(from, weight.get(from) ?? 0);
    weight.set(edge.to, (weight.get(edge.to) ?? 0) + edge.feasible + edge.infeasible);
    next.set(from, (next.get(from) ?? new Set()).add(edge.to));
  }
  const ring = new Map<string, number>([[start, 0]]);
  let front = [start];
  for (let level = 1; front.length > 0; ++level) {
    const after = front.flatMap((name) => [...(next.get(name) ?? [])]).filter((name) => !ring.has(name));
    for (const name of after) ring.set(name, level);
    front = [...new Set(after)];
  }
  const rings = new Map<number, string[]>();
  for (const name of [...weight.keys()].sort()) {
    const level = ring.get(name) ?? 1;
    rings.set(level, [...(rings.get(level) ?? []), name]);
  }
  const found = new Map<string, { x: number; y: number; size: number }>();
  for (const [level, names] of rings) {
    names.forEach((name, i) => {
      const angle = (2 * Math.PI * i) / names.length + level / 2;
      found.set(name, { x: level * Math.cos(angle), y: level * Math.sin(angle), size: 5 + 3 * Math.log2(1 + (weight.get(name) ?? 0)) });
    });
  }
  return found;
}

function build(edges: EdgeStatistics[], chosen: string): Graph_ {
  const graph = new Graph_({ multi: true });
  for (const [name, place] of places(edges)) {
    graph.addNode(name, { ...place, label: name === start ? "as given" : techniqueName(name), color: colour(name === chosen ? "accent" : "node") });
  }
  for (const edge of edges) {
    const won = edge.measured > 0 && edge.mean_log_gain > 0;
    graph.addEdge(edge.from || start, edge.to, {
      size: 1 + Math.log2(1 + edge.measured),
      color: colour(won ? (source(edge.provider) === "predicted" ? "predicted" : "good") : "line"),
    });
  }
  return graph;
}

export function Graph({ edges, chosen, choose }: GraphProps) {
  const host = useRef<HTMLDivElement>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const probe = document.createElement("canvas").getContext("webgl2");
    if (probe === null) return setProblem("This browser draws no WebGL; the table has the same.");
    probe.getExtension("WEBGL_lose_context")?.loseContext();
    const draw = () => {
      const sigma = new Sigma(build(edges, chosen), element, { labelColor: { color: colour("ink") }, labelRenderedSizeThreshold: 0, labelDensity: 20, labelGridCellSize: 40 });
      sigma.on("clickNode", ({ node }) => choose(node === start ? "" : node));
      return sigma;
    };
    let sigma = draw();
    const repainted = new MutationObserver(() => {
      sigma.kill();
      sigma = draw();
    });
    repainted.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => {
      repainted.disconnect();
      sigma.kill();
    };
  }, [edges, chosen]);
  if (problem !== "") return <p class="quiet">{problem}</p>;
  return (
    <figure>
      <div class="net" ref={host} aria-hidden="true" />
      <figcaption>Larger is tried more often. Lines that gained: <span class="key good">measured</span>, <span class="key predicted">predicted</span>. The list and the table say the same.</figcaption>
    </figure>
  );
}
