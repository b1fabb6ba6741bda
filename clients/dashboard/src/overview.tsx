/** How far each task got, what runs and comes next, what it has cost. */

import { useContext } from "preact/hooks";

import { TaskCards } from "./cards";
import { amount, amountNames, expectedSource, unit } from "./format";
import { ProgressContext, useAnswer } from "./live";
import { Confirmed, Gain, Meter, Problem, State, Table, Title, Waiting, useOrder } from "./parts";
import { href } from "./route";
import type { ProgressParams, QueueJob, QueueLane, QueueListResult, QueueRulesResult, StatusResult } from "./wire";

export function Overview() {
  const status = useAnswer("status");
  const queue = useAnswer("queue.list", { limit: 200 });
  const rules = useAnswer("queue.rules", {});
  const recent = useAnswer("episode.list", { limit: 200 });
  const mode = status.value?.mode ?? "";
  const providers = new Map((recent.value?.episodes ?? []).map((one) => [one.job_id, one.provider]));
  const from = (job: string) => expectedSource(providers.get(job) ?? "gpu", mode);
  return (
    <>
      <Title>Overview</Title>
      <Waiting answer={status}>{(now) => <Machine status={now} queue={queue.value} />}</Waiting>
      <section aria-labelledby="tasks">
        <h2 id="tasks">Tasks</h2>
        <Waiting answer={recent}>{(list) => <TaskCards episodes={list.episodes} />}</Waiting>
      </section>
      <section aria-labelledby="queue">
        <h2 id="queue">Queue</h2>
        <Waiting answer={queue}>
          {(list) => (
            <>
              <Lanes status={status.value} list={list} from={from} />
              <Queue list={list} />
            </>
          )}
        </Waiting>
      </section>
      <section aria-labelledby="spent">
        <h2 id="spent">Spent this night</h2>
        <Waiting answer={rules}>{(values) => <Spent rules={values} />}</Waiting>
      </section>
    </>
  );
}

function Machine({ status, queue }: { status: StatusResult; queue: QueueListResult | undefined }) {
  return (
    <>
      <dl class="facts narrow">
        <div><dt>Device</dt><dd>{status.device || status.mode}</dd></div>
        <div><dt>Running</dt><dd>{status.running}</dd></div>
        <div><dt>Waiting</dt><dd>{status.queued}</dd></div>
        <div><dt>Night</dt><dd>{queue?.night ?? ""}{queue?.quiet === true && " (quiet hours)"}</dd></div>
        <div><dt>Version</dt><dd>{status.version}</dd></div>
        {status.degraded && <div class="problem"><dt>Base</dt><dd>read-only; see warpmind kb stats</dd></div>}
      </dl>
      {status.note !== "" && <Note text={status.note} />}
    </>
  );
}

/** "times are predicted, nothing is measured: no CUDA device: …": what it means, and the cause for whoever asks. */
function Note({ text }: { text: string }) {
  const end = text.indexOf(": ");
  if (end < 0) return <p class="quiet">{text}</p>;
  return <details class="quiet"><summary>{text.slice(0, end)}</summary>{text.slice(end + 2)}</details>;
}

type Lane = Omit<QueueLane, "busy"> & { busy?: number };

/** A daemon that names no lanes has one. */
function lanesOf(status: StatusResult | undefined, list: QueueListResult): Lane[] {
  if (list.lanes.length > 0) return list.lanes;
  const running = list.jobs.find((job) => job.state === "running");
  return [{ name: "lane 0", device: "", model: status?.device ?? "", job_id: running?.job_id ?? "" }];
}

function Lanes({ status, list, from }: { status: StatusResult | undefined; list: QueueListResult; from: (job: string) => string }) {
  const progress = useContext(ProgressContext);
  return (
    <ul class="lanes" aria-label="Lanes">
      {lanesOf(status, list).map((lane) => {
        const job = list.jobs.find((one) => one.job_id === lane.job_id);
        const about = [lane.model || lane.device || status?.device || "", lane.busy === undefined ? "" : `busy ${(100 * lane.busy).toFixed(0)} % of the time`];
        return (
          <li key={lane.name} class="card">
            <h3>{lane.name} <small>{about.filter((part) => part !== "").join(", ")}</small></h3>
            {job === undefined ? <p class="quiet">idle</p> : <Running job={job} progress={progress.get(job.job_id)} from={from(job.job_id)} />}
          </li>
        );
      })}
    </ul>
  );
}

function Running({ job, progress, from }: { job: QueueJob; progress: ProgressParams | undefined; from: string }) {
  return (
    <>
      <p><a href={href("episode", job.job_id)}>{job.task}</a> <small>{job.job_id}</small></p>
      {progress !== undefined && progress.steps > 0 && (
        <p>
          <progress aria-label={`Candidates of ${job.task}`} max={progress.steps} value={progress.step} />{" "}
          {progress.step} of {progress.steps}{progress.best_ratio > 1 && <>, best <Gain ratio={progress.best_ratio} from={from} /></>}
        </p>
      )}
      <p class="quiet activity">{progress?.line || job.why}</p>
    </>
  );
}

function Queue({ list }: { list: QueueListResult }) {
  const { run, problem } = useOrder();
  const one = (method: "queue.pause" | "queue.resume" | "queue.cancel", job: QueueJob, done: string) => run(method, { job_ids: [job.job_id] }, done);
  const move = (job: QueueJob, by: number) =>
    run("queue.move", { job_id: job.job_id, priority: Math.max(-100, Math.min(100, job.priority + by)) }, `${job.job_id} has another priority.`);
  const waits = list.jobs.some((job) => job.state === "queued");
  return (
    <>
      {waits && (
        <p class="buttons">
          <button type="button" onClick={() => void run("queue.pause", { all: true }, "Every waiting job is paused.")}>Pause all</button>
          <button type="button" onClick={() => void run("queue.resume", { all: true }, "Every job may go on.")}>Resume all</button>
        </p>
      )}
      <Problem text={problem} />
      <Table
        caption={`${list.waiting} wait, ${list.running} run`}
        heads={["Task", "State", "User", "Priority", "Why", "Orders"]}
        keys={list.jobs.map((job) => job.job_id)}
        empty="Nothing is queued. `warpmind queue add DIR` in a terminal adds tasks."
        rows={list.jobs.map((job) => [
          <><a href={href("job", job.job_id)}>{job.task}</a> <small>{job.job_id}</small></>,
          <State name={job.held ? "paused" : job.state} />,
          job.user,
          job.state === "queued"
            ? <span class="stepper">
                <button type="button" aria-label={`Lower priority of ${job.job_id}`} onClick={() => void move(job, -10)}>−</button>
                <span>{job.priority}</span>
                <button type="button" aria-label={`Higher priority of ${job.job_id}`} onClick={() => void move(job, 10)}>+</button>
              </span>
            : String(job.priority),
          job.why,
          <span class="buttons">
            {job.state === "queued" && (job.held
              ? <button type="button" aria-label={`Resume ${job.job_id}`} onClick={() => void one("queue.resume", job, `${job.job_id} may go on.`)}>Resume</button>
              : <button type="button" aria-label={`Pause ${job.job_id}`} onClick={() => void one("queue.pause", job, `${job.job_id} is paused.`)}>Pause</button>)}
            <Confirmed label="Cancel" name={`Cancel ${job.job_id}`} danger question={`Cancel ${job.task} (${job.job_id})? What was measured is kept.`}
              act={() => one("queue.cancel", job, `${job.job_id} is cancelled.`)} />
          </span>,
        ])}
      />
    </>
  );
}

export function Spent({ rules }: { rules: QueueRulesResult }) {
  return (
    <div>
      {amountNames.map((name) => {
        const spent = rules.night_spent[name] ?? 0;
        const limit = rules.night_limits[name] ?? 0;
        const left = rules.night_left[name] ?? 0;
        const text = limit > 0
          ? `${amount(spent)} of ${amount(limit)} ${unit(name)}, ${amount(left)} left`
          : `${amount(spent)} ${unit(name)}, no limit`;
        return <Meter key={name} label={name.replace("_", " ")} spent={spent} limit={limit} text={text} />;
      })}
    </div>
  );
}
