/** How the launches of a step spend their time, beside those of the given kernel. */

import { useState } from "preact/hooks";

import { bytes, inThousands, percent, source, time } from "./format";
import { useAnswer } from "./live";
import { Table, Waiting } from "./parts";
import type { Episode, EpisodeProfileResult, LaunchRow, Step } from "./wire";

const shownAtMost = 12;

/** What the daemon answers without work. On a GPU it counts lines in the simulator where none were sampled. */
function isStored(step: Step | undefined, provider: string): boolean {
  const profile = step?.verdict.profile;
  return profile != null && profile.tier !== "T0" && (provider !== "gpu" || profile.lines.length > 0);
}

function wasTimed(step: Step): boolean {
  return step.verdict.measurement !== null || step.verdict.profile !== null;
}

export function Launches({ episode, step, position }: { episode: Episode; step: Step; position: number }) {
  const [wanted, setWanted] = useState("");
  const key = `${episode.id}/${position}`;
  const stored = isStored(step, episode.provider) && isStored(episode.steps[0], episode.provider);
  return (
    <section aria-labelledby="launches">
      <h2 id="launches">Launches of step {position}</h2>
      {!wasTimed(step) && <p class="quiet">It was never timed: there is no profile of it.</p>}
      {wasTimed(step) && !stored && wanted !== key && (
        <p>
          A part of this profile is not stored; making it may take as long as a measurement.{" "}
          <button type="button" onClick={() => setWanted(key)}>Profile step {position}</button>
        </p>
      )}
      {wasTimed(step) && (stored || wanted === key) && <Profile key={key} id={episode.id} step={step} position={position} given={episode.steps[0]} />}
    </section>
  );
}

function Profile({ id, step, position, given }: { id: string; step: Step; position: number; given: Step | undefined }) {
  const params = position === 0 ? { id, step: 0 } : { id, step: position, against: 0 };
  const answer = useAnswer("episode.profile", params, true);
  return (
    <Waiting answer={answer}>
      {(profile) => <LaunchTable of={profile} sources={[given?.candidate.kernel.source ?? "", step.candidate.kernel.source]} />}
    </Waiting>
  );
}

const heads = ["Launch", "Of", "Time", "Share", "Moved", "Computed", "Limited by", "Waits for"];
const unknown = "–";

function moved(row: LaunchRow): string {
  if (row.bytes === null) return unknown;
  return `${bytes(row.bytes)} ${row.memory}${row.gb_per_s > 0 ? `, ${inThousands(row.gb_per_s * 1e9, "B/s")}` : ""}`;
}

function computed(row: LaunchRow): string {
  if (row.flops === null) return unknown;
  return inThousands(row.flops, "flop") + (row.gflop_per_s > 0 ? `, ${inThousands(row.gflop_per_s * 1e9, "flop/s")}` : "");
}

function limit(row: LaunchRow): string {
  if (row.pipe === "") return unknown;
  const busiest = `${row.pipe} ${percent(row.pipe_percent)}`;
  return row.limited_by === "latency" ? `latency (${busiest})` : busiest;
}

/** With the text of the line: its number alone says little on a page without the file. */
function Stall({ row, text }: { row: LaunchRow; text: string }) {
  if (row.stall === "") return <>{unknown}</>;
  const line = row.line > 0 ? text.split("\n")[row.line - 1]?.trim() ?? "" : "";
  return (
    <>
      {row.stall}{row.stall_percent > 0 && ` ${percent(row.stall_percent)}`}{row.line > 0 && `, line ${row.line}`}
      {line !== "" && <> <code>{line}</code></>}
    </>
  );
}

function cells(row: LaunchRow, plan: string, text: string) {
  return [row.name, plan, time(row.time_ns), percent(100 * row.time_share), moved(row), computed(row), limit(row), <Stall row={row} text={text} />];
}

function sentence(text: string): string {
  return text === "" ? "" : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function notes(of: EpisodeProfileResult): string[] {
  const rows = of.launches.flatMap((one) => [one.before, one.after]).filter((row) => row !== null && row.stall !== "");
  const caches: Record<string, string> = {
    cold: "Caches were cold: nothing of the data is in them when a launch begins.",
    warm: "Caches were warm: bytes and rates are those of a repeated run, while timing flushes L2.",
  };
  return [
    caches[of.profile.caches ?? ""] ?? "",
    rows.some((row) => row?.stall_origin !== "measured") ? "Waits: share of the cycles that the simulator counted by line."
      : rows.length > 0 ? "Waits: share of the samples of warps that did not issue." : "",
    of.launches.some((one) => one.paired_by === "time_share") ? "Launches of different kernels stand together by their share of the time." : "",
    sentence(of.profile.note),
    sentence(of.note),
  ].filter((note) => note !== "");
}

function LaunchTable({ of, sources: [before, after] }: { of: EpisodeProfileResult; sources: [string, string] }) {
  const shown = of.launches.slice(0, shownAtMost);
  const rows = shown.flatMap((one) => [
    ...(one.before === null ? [] : [cells(one.before, "given", before)]),
    ...(one.after === null ? [] : [cells(one.after, of.step === 0 ? "given" : `step ${of.step}`, after)]),
  ]);
  const left = of.launches.length - shown.length;
  return (
    <>
      <Table caption={`On ${of.profile.workload}, ${source(of.provider)}; the most time first`} heads={heads} rows={rows} empty="None was profiled." />
      {left > 0 && <p class="quiet">And {left} more launches that take less time.</p>}
      {notes(of).map((note) => <p class="quiet" key={note}>{note}</p>)}
    </>
  );
}
