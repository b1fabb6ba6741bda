/** The newest jobs, and where a job leads to. */

import { useState } from "preact/hooks";

import { expectedSource, moment, source, time } from "./format";
import { useAnswer } from "./live";
import { Gain, State, Table, Title, Waiting } from "./parts";
import { href } from "./route";

export function Episodes() {
  const recent = useAnswer("episode.list", { limit: 200 });
  const [wanted, setWanted] = useState("");
  return (
    <>
      <Title>Episodes</Title>
      <label>Task <input type="search" value={wanted} onInput={(event) => setWanted(event.currentTarget.value)} /></label>
      <Waiting answer={recent}>
        {(list) => {
          const shown = list.episodes.filter((one) => one.task.includes(wanted.trim()));
          return (
            <Table
              caption="The newest 200 jobs, newest first"
              heads={["Task", "State", "Gain", "Given, best", "By", "Submitted"]}
              keys={shown.map((one) => one.job_id)}
              empty="There is no such job."
              rows={shown.map((one) => [
                <><a href={one.episode_id === "" ? href("job", one.job_id) : href("episode", one.episode_id)}>{one.task}</a> <small>{one.job_id}</small></>,
                <State name={one.outcome || one.state} />,
                one.episode_id === "" ? "" : <Gain ratio={one.ratio} from={source(one.provider)} />,
                one.given_ns > 0 ? `${time(one.given_ns)}, ${time(one.best_ns)}` : "",
                one.technique,
                moment(one.submitted),
              ])}
            />
          );
        }}
      </Waiting>
    </>
  );
}

/** A job before it has an episode. */
export function JobView({ id }: { id: string }) {
  const why = useAnswer("queue.why", { job_id: id });
  const recent = useAnswer("episode.list", { limit: 200 });
  const status = useAnswer("status");
  const job = recent.value?.episodes.find((one) => one.job_id === id);
  return (
    <>
      <Title>{job?.task ?? "Job"} <small>{id}</small></Title>
      {job !== undefined && <p><State name={job.state} /> Its times will be {expectedSource(job.provider, status.value?.mode ?? "")}. {job.summary}</p>}
      {job !== undefined && job.episode_id !== "" && <p><a href={href("episode", job.episode_id)}>Its episode</a></p>}
      <Waiting answer={why}>
        {(reason) => <><p>{reason.why}</p>{reason.worth !== "" && <p class="quiet">{reason.worth}</p>}</>}
      </Waiting>
    </>
  );
}
