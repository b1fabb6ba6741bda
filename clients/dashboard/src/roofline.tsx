/** The timed steps of an episode under the roofline of their device. */

import { source } from "./format";
import { useAnswer } from "./live";
import { Table, Title, Waiting } from "./parts";
import { href } from "./route";
import type { ListedEpisode, Roofline } from "./wire";

const width = 640;
const height = 380;
const left = 64;
const bottom = 44;
const top = 16;
const right = 16;

interface Axis {
  low: number; // powers of ten
  high: number;
  place(value: number): number;
}

function axis(values: number[], from: number, to: number): Axis {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.max(Math.ceil(Math.log10(Math.max(...values))), low + 1);
  return { low, high, place: (value) => from + (Math.log10(value) - low) / (high - low) * (to - from) };
}

function powers({ low, high }: Axis): number[] {
  return Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i));
}

function short(value: number): string {
  return value >= 1e6 ? `${value / 1e6}M` : value >= 1e3 ? `${value / 1e3}k` : String(Number(value.toPrecision(3)));
}

export function RooflinePlot({ id }: { id: string }) {
  const answer = useAnswer<Roofline>("episode.roofline", { id }, 60_000);
  return <Waiting answer={answer}>{(roofline) => <Plot of={roofline} />}</Waiting>;
}

function Plot({ of }: { of: Roofline }) {
  const { peak_gflops: peak, bandwidth_gb_s: bandwidth, steps } = of;
  const ridge = peak / bandwidth;
  const x = axis([ridge / 10, ridge * 10, ...steps.map((one) => one.intensity / 2), ...steps.map((one) => one.intensity * 2)], left, width - right);
  const y = axis([peak / 100, peak * 1.5, ...steps.map((one) => one.gflops / 2)], height - bottom, top);
  const start = 10 ** x.low;
  const kind = source(of.provider);
  const best = steps.reduce((a, b) => (b.gflops > a.gflops ? b : a));
  return (
    <figure>
      <svg class="roofline" viewBox={`0 0 ${width} ${height}`} role="img"
        aria-label={`Roofline of ${of.device}: ${of.task}, ${steps.length} kernels, the best reaches ${short(best.gflops)} Gflop/s, ${kind}`}>
        {powers(x).map((value) => (
          <g key={`x${value}`}>
            <line x1={x.place(value)} x2={x.place(value)} y1={top} y2={height - bottom} class="grid" />
            <text x={x.place(value)} y={height - bottom + 16} text-anchor="middle">{short(value)}</text>
          </g>
        ))}
        {powers(y).map((value) => (
          <g key={`y${value}`}>
            <line x1={left} x2={width - right} y1={y.place(value)} y2={y.place(value)} class="grid" />
            <text x={left - 6} y={y.place(value) + 4} text-anchor="end">{short(value)}</text>
          </g>
        ))}
        <polyline class="roof" points={[[start, start * bandwidth], [ridge, peak], [10 ** x.high, peak]]
          .map(([a, b]) => `${x.place(a as number)},${Math.min(y.place(b as number), height - bottom)}`).join(" ")} />
        {steps.map((one) => (
          <circle key={one.step} cx={x.place(one.intensity)} cy={y.place(one.gflops)} r={one === best ? 6 : 4}
            class={one.step === 0 ? "given" : one.accepted ? "accepted" : "other"} />
        ))}
        <text x={width - right} y={height - 6} text-anchor="end">flop / byte</text>
        <text x={left} y={12}>Gflop/s, {kind}</text>
      </svg>
      <figcaption>
        {of.task} on {of.device}, {of.workload}: {kind} times against a peak of {short(peak)} Gflop/s and {short(bandwidth)} GB/s.
      </figcaption>
      <details>
        <summary>As a table</summary>
        <Table caption={`Kernels that were timed (${kind})`} heads={["Step", "flop / byte", "Gflop/s", "Of the roof"]} empty="None."
          rows={steps.map((one) => [
            one.step === 0 ? "0, as given" : `${one.step}${one.accepted ? ", accepted" : ""}`,
            one.intensity.toPrecision(3), one.gflops.toPrecision(4),
            `${(100 * one.gflops / Math.min(peak, one.intensity * bandwidth)).toFixed(1)} %`,
          ])} />
      </details>
    </figure>
  );
}

export function RooflineView({ id }: { id: string }) {
  const recent = useAnswer<{ episodes: ListedEpisode[] }>("episode.list", { limit: 200 });
  return (
    <>
      <Title>Roofline</Title>
      <Waiting answer={recent}>
        {(list) => {
          const ended = list.episodes.filter((one) => one.episode_id !== "" && one.given_ns > 0);
          const shown = id || ended[0]?.episode_id || "";
          if (shown === "") return <p class="quiet">No kernel was timed yet.</p>;
          return (
            <>
              <label>Episode
                <select value={shown} onChange={(event) => { location.hash = href("roofline", event.currentTarget.value); }}>
                  {ended.map((one) => <option key={one.episode_id} value={one.episode_id}>{one.task} ({one.episode_id})</option>)}
                </select>
              </label>
              <RooflinePlot key={shown} id={shown} />
            </>
          );
        }}
      </Waiting>
    </>
  );
}
