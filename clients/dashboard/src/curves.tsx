/** How gains grow: within the episodes of a night, over the episodes of a task, and how often predictions held. */

import { useMemo, useState } from "preact/hooks";

import { moment, source } from "./format";
import { useAnswer } from "./live";
import { Gain, Lazy, Table, Title, Waiting } from "./parts";
import { href } from "./route";
import type { ChartProps, Line } from "./chart";
import type { ListedEpisode, QueueReportJob } from "./wire";

const loadChart = () => import("./chart").then((part) => part.Chart);
const mostLines = 12;

export function Curves() {
  const [night, setNight] = useState("");
  const report = useAnswer("queue.report", night === "" ? {} : { night });
  const recent = useAnswer("episode.list", { limit: 200 });
  const calibration = useAnswer("kb.calibration", {});
  return (
    <>
      <Title>Learning curves</Title>
      <Waiting answer={report}>
        {(values) => (
          <section aria-labelledby="night">
            <h2 id="night">Within a night</h2>
            <label>Night
              <select value={values.night} onChange={(event) => setNight(event.currentTarget.value)}>
                {values.nights.map((one) => <option key={one} value={one}>{one}</option>)}
              </select>
            </label>
            <Night jobs={values.jobs} />
          </section>
        )}
      </Waiting>
      <Waiting answer={recent}>{(list) => <Tasks episodes={list.episodes} />}</Waiting>
      <section aria-labelledby="held">
        <h2 id="held">How often predictions held</h2>
        <Waiting answer={calibration}>
          {(one) => one.predictions === 0
            ? <p class="quiet">No prediction was compared yet.</p>
            : <p>{(100 * one.coverage).toFixed(0)} % of {one.predictions} gains lay in their interval
              ({(100 * one.coverage_low).toFixed(0)} to {(100 * one.coverage_high).toFixed(0)} %); 80 % should.</p>}
        </Waiting>
      </section>
    </>
  );
}

function Night({ jobs }: { jobs: QueueReportJob[] }) {
  const drawn = jobs.filter((job) => job.curve.length > 0).sort((a, b) => b.ratio - a.ratio);
  const name = (job: QueueReportJob) => {
    const alone = jobs.filter((other) => other.task === job.task).length === 1;
    return `${job.task}${alone ? "" : ` ${job.job_id.replace(/-0+/, "-")}`} (${source(job.provider)})`;
  };
  const lines: Line[] = drawn.slice(0, mostLines).map((job) => ({
    name: name(job),
    points: [{ x: 0, y: 1 }, ...job.curve.map((y, i) => ({ x: i + 1, y }))],
  }));
  return (
    <>
      <Chart title="Best gain after each candidate" x="candidate" y="best gain" lines={lines} />
      <Table caption={drawn.length > mostLines ? `Every job; the ${mostLines} largest gains are drawn` : "Every job of the night"}
        heads={["Task", "Gain", "Candidates", "Predictions held"]} keys={drawn.map((job) => job.job_id)} empty="No job of this night has an episode yet."
        rows={drawn.map((job) => [
          <a href={href("episode", job.job_id)}>{job.task}</a>,
          <Gain ratio={Math.max(job.ratio, 1)} from={source(job.provider)} />,
          String(job.curve.length),
          job.predicted > 0 ? `${job.covered} of ${job.predicted}` : "",
        ])} />
    </>
  );
}

function Tasks({ episodes }: { episodes: ListedEpisode[] }) {
  const lines = useMemo(() => {
    const byTask = new Map<string, Line>();
    for (const one of [...episodes].reverse()) {
      if (one.curve.length === 0) continue; // it ended before it tried anything
      const name = `${one.task}, ${one.device} (${source(one.provider)})`;
      const line = byTask.get(name) ?? { name, points: [] };
      line.points.push({ x: line.points.length + 1, y: Math.max(one.ratio, 1), note: moment(one.submitted) });
      byTask.set(name, line);
    }
    return [...byTask.values()].filter((line) => line.points.length > 1).slice(0, mostLines);
  }, [episodes]);
  return (
    <section aria-labelledby="tasks">
      <h2 id="tasks">Over the episodes of a task</h2>
      {lines.length === 0
        ? <p class="quiet">No task was optimised twice yet.</p>
        : <Chart title="Gain of each episode of a task on one device" x="episode" y="gain" lines={lines} />}
    </section>
  );
}

function Chart(props: ChartProps) {
  return props.lines.length === 0 ? <></> : <Lazy load={loadChart} props={props} />;
}
