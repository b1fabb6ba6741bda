/** Lines over whole numbers, by uPlot. The numbers stand in a table beside every chart. */

import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

import { colour } from "./theme";

export interface Line {
  name: string;
  points: { x: number; y: number; note?: string }[];
}
export interface ChartProps {
  title: string;
  x: string;
  y: string;
  lines: Line[];
}

const hues = 12;

/** One row of x for all lines; a line ends where its points do. */
function aligned(lines: Line[]): uPlot.AlignedData {
  const xs = [...new Set(lines.flatMap((line) => line.points.map((point) => point.x)))].sort((a, b) => a - b);
  const rows = lines.map((line) => {
    const values = new Map(line.points.map((point) => [point.x, point.y]));
    return xs.map((x) => values.get(x) ?? null);
  });
  return [xs, ...rows];
}

function options(props: ChartProps, width: number): uPlot.Options {
  const ink = colour("ink");
  const grid = { stroke: colour("line"), width: 1 };
  return {
    width,
    height: Math.min(360, Math.max(220, width / 2)),
    scales: { x: { time: false }, y: { distr: 3, log: 2 } },
    axes: [
      { label: props.x, stroke: ink, grid, incrs: [1, 2, 5, 10, 20, 50, 100] },
      { label: `${props.y} (factor)`, stroke: ink, grid, values: (_, ticks) => ticks.map((tick) => (tick === null ? "" : `${Number(tick.toPrecision(3))}x`)) },
    ],
    series: [
      { label: props.x },
      ...props.lines.map((line, i) => ({
        label: line.name,
        stroke: `hsl(${(i * 360) / hues} 65% 50%)`,
        width: 2,
        spanGaps: true,
        value: (_: uPlot, y: number | null) => (y === null || y === undefined ? "" : `${y.toFixed(2)}x`),
      })),
    ],
  };
}

export function Chart(props: ChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const key = JSON.stringify(props);
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const draw = () => {
      element.replaceChildren();
      return new uPlot(options(props, Math.max(element.clientWidth, 240)), aligned(props.lines), element);
    };
    let plot = draw();
    let width = element.clientWidth;
    const again = () => {
      plot.destroy();
      width = element.clientWidth;
      plot = draw();
    };
    const resized = new ResizeObserver(() => { if (element.clientWidth !== width) again(); });
    const repainted = new MutationObserver(again);
    resized.observe(element);
    repainted.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => {
      resized.disconnect();
      repainted.disconnect();
      plot.destroy();
    };
  }, [key]);
  return <figure class="chart"><figcaption>{props.title}</figcaption><div ref={host} role="img" aria-label={`${props.title}; the table has the numbers`} /></figure>;
}
