/** The timed steps of an episode under the roofline of their device, and how near each is to it. */

import { share, source, time } from "./format";
import { useAnswer } from "./live";
import { ShareBar, Table, Title, Waiting } from "./parts";
import { href } from "./route";
import type { EpisodeRooflineResult, RooflineMark } from "./wire";

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

const noCostModel = "A limit needs the work of a task: `[cost]` in its task.toml, or a given kernel whose arithmetic can be counted.";

export function RooflinePlot({ id }: { id: string }) {
  const answer = useAnswer("episode.roofline", { id }, true);
  // Not every task has a cost model, and not every episode a time: that is no fault of the page.
  if (answer.value === undefined && answer.error !== "") return <p class="quiet">No roofline: {answer.error}.</p>;
  return (
    <Waiting answer={answer}>
      {(roofline) => (
        <div class="roof-and-shares">
          {roofline.steps.some((one) => one.intensity > 0)
            ? <Plot of={roofline} />
            : <p class="quiet">{roofline.task} counts no arithmetic, so the memory of {roofline.device} alone limits it: {short(roofline.bandwidth_gb_s)} GB/s.</p>}
          <Shares of={roofline} />
        </div>
      )}
    </Waiting>
  );
}

type Kind = "given" | "best" | "accepted" | "other";
const kinds: [Kind, string][] = [["given", "as given"], ["best", "the best"], ["accepted", "was the best for a while"], ["other", "tried"]];

/** The fastest of the accepted is the best; of a step that was never better only its time is known. */
function kindOf(one: RooflineMark, best: RooflineMark): Kind {
  if (one.step === 0) return "given";
  if (one === best) return "best";
  return one.accepted ? "accepted" : "other";
}

function bestOf(steps: RooflineMark[]): RooflineMark {
  const kept = steps.filter((one) => one.accepted || one.step === 0);
  return (kept.length > 0 ? kept : steps).reduce((a, b) => (b.time_ns < a.time_ns ? b : a));
}

function Mark({ kind, x, y }: { kind: Kind; x: number; y: number }) {
  return (
    <>
      {kind === "best" && <circle cx={x} cy={y} r={9} class="ring" />}
      <circle cx={x} cy={y} r={kind === "other" ? 3.5 : 5} class={kind} />
    </>
  );
}

function Legend({ present }: { present: Set<Kind> }) {
  return (
    <ul class="legend">
      {kinds.filter(([kind]) => present.has(kind)).map(([kind, name]) => (
        <li key={kind}><svg viewBox="0 0 20 20" class="roofline" aria-hidden="true"><Mark kind={kind} x={10} y={10} /></svg>{name}</li>
      ))}
    </ul>
  );
}

function Plot({ of }: { of: EpisodeRooflineResult }) {
  const { peak_gflops: peak, bandwidth_gb_s: bandwidth } = of;
  const steps = of.steps.filter((one) => one.intensity > 0);
  const ridge = peak / bandwidth;
  const x = axis([ridge / 10, ridge * 10, ...steps.map((one) => one.intensity / 2), ...steps.map((one) => one.intensity * 2)], left, width - right);
  const y = axis([peak / 100, peak * 1.5, ...steps.map((one) => one.gflops / 2)], height - bottom, top);
  const start = 10 ** x.low;
  const kind = source(of.provider);
  const best = bestOf(steps);
  const reached = best.share > 0 ? `, ${share(best.share)} of the limit` : "";
  const label = `${short(best.gflops)} Gflop/s${reached}`;
  const bestX = x.place(best.intensity);
  return (
    <figure>
      <svg class="roofline" viewBox={`0 0 ${width} ${height}`} role="img"
        aria-label={`Roofline of ${of.device}: ${of.task}, ${steps.length} kernels, the best reaches ${label}, ${kind}`}>
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
        <text x={width - right - 4} y={y.place(peak) - 6} text-anchor="end">{of.peak} {short(peak / 1000)} Tflop/s</text>
        <text x={x.place(ridge) - 14} y={y.place(peak) + 4} text-anchor="end">memory {short(bandwidth)} GB/s</text>
        {[...steps].reverse().map((one) => <Mark key={one.step} kind={kindOf(one, best)} x={x.place(one.intensity)} y={y.place(one.gflops)} />)}
        <text x={bestX < width / 2 ? bestX + 14 : bestX - 14} y={y.place(best.gflops) + 4} text-anchor={bestX < width / 2 ? "start" : "end"}>{label}</text>
        <text x={width - right} y={height - 6} text-anchor="end">flop / byte</text>
        <text x={left} y={12}>Gflop/s, {kind}</text>
      </svg>
      <figcaption>
        {of.task} on {of.device}, {of.workload}: {kind} times under {of.peak} ({short(peak / 1000)} Tflop/s) and memory ({short(bandwidth)} GB/s).
      </figcaption>
      <Legend present={new Set(steps.map((one) => kindOf(one, best)))} />
    </figure>
  );
}

function Shares({ of }: { of: EpisodeRooflineResult }) {
  const kind = source(of.provider);
  const best = bestOf(of.steps);
  const name = (one: RooflineMark) => kinds.find(([which]) => which === kindOf(one, best))?.[1] ?? "";
  return (
    <Table caption={`Kernels that were timed (${kind}): how near each is to the least time that ${of.device} allows`}
      heads={["Step", "Time", "Of the limit", "Gflop/s"]} keys={of.steps.map((one) => String(one.step))} empty="None."
      rows={of.steps.map((one) => [
        `${one.step}, ${name(one)}`,
        time(one.time_ns),
        one.share > 0 ? <span class="reach"><ShareBar share={one.share} label={share(one.share)} /> <small>{share(one.share)}</small></span> : "not known",
        one.gflops > 0 ? one.gflops.toPrecision(4) : "",
      ])} />
  );
}

export function RooflineView({ id }: { id: string }) {
  const recent = useAnswer("episode.list", { limit: 200 });
  return (
    <>
      <Title>Roofline</Title>
      <Waiting answer={recent}>
        {(list) => {
          const limited = list.episodes.filter((one) => one.limit_ns > 0);
          const gains = [...limited].sort((a, b) => b.ratio - a.ratio);
          // What arithmetic limits lies under both parts of the roof.
          const first = gains.find((one) => one.limited_by.endsWith("arithmetic")) ?? gains[0];
          const shown = id || first?.episode_id || "";
          if (shown === "") return <p class="quiet">No kernel of a task whose limit is known was timed yet. {noCostModel}</p>;
          return (
            <>
              <label>Episode
                <select value={shown} onChange={(event) => { location.hash = href("roofline", event.currentTarget.value); }}>
                  {limited.map((one) => <option key={one.episode_id} value={one.episode_id}>{one.task} ({one.episode_id})</option>)}
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
