/** One episode: the tree of its steps, what was predicted and measured, what was learned, any two kernels side by side. */

import { useEffect, useMemo, useState } from "preact/hooks";

import { logGain, source, time, words } from "./format";
import { Launches } from "./launches";
import { useAnswer } from "./live";
import { Gain, Interval, Lazy, State, Table, Title, Waiting, bounds } from "./parts";
import { RooflinePlot } from "./roofline";
import { href } from "./route";
import { StepTree } from "./tree";
import type { DiffProps } from "./diff";
import type { Episode, EpisodeExplainResult, Step } from "./wire";

export function EpisodeView({ id }: { id: string }) {
  const answer = useAnswer("episode.explain", { id }, true);
  return <Waiting answer={answer}>{(explained) => <Whole explained={explained} />}</Waiting>;
}

/** The step whose kernel was edited; an older build did not store it. */
export function parentOf(step: Step, position: number): number {
  if (position === 0) return -1;
  return step.edited >= 0 && step.edited < position ? step.edited : 0;
}

function Whole({ explained }: { explained: EpisodeExplainResult }) {
  const episode = explained.episode;
  const [chosen, setChosen] = useState(episode.best_step);
  useEffect(() => setChosen(episode.best_step), [episode.id]);
  const step = episode.steps[chosen];
  const given = episode.steps[0]?.verdict.measurement;
  return (
    <>
      <Title>{episode.task_name} <small>{episode.id}</small></Title>
      <p>
        <State name={episode.outcome} />{" "}
        {episode.best_against_baseline ? <Interval of={episode.best_against_baseline} provider={episode.provider} /> : "nothing was faster"}
      </p>
      <p>{episode.summary}</p>
      <dl class="facts">
        <div><dt>Times are</dt><dd>{source(episode.provider)}</dd></div>
        <div><dt>Device</dt><dd>{given?.device.name ?? "none"}</dd></div>
        <div><dt>Given kernel</dt><dd>{given ? `${time(given.median_ns)} on ${given.workload}` : "not timed"}</dd></div>
        <div><dt>Search</dt><dd>{episode.policy}; {episode.ended}</dd></div>
      </dl>
      <div class="split">
        <section aria-labelledby="steps">
          <h2 id="steps">Steps</h2>
          <StepTree episode={episode} chosen={chosen} choose={setChosen} />
        </section>
        {step !== undefined && <StepView episode={episode} step={step} position={chosen} explained={explained} />}
      </div>
      {step !== undefined && <Launches episode={episode} step={step} position={chosen} />}
      <Diff episode={episode} chosen={chosen} />
      <Critique episode={episode} />
      <section aria-labelledby="roof">
        <h2 id="roof">Roofline</h2>
        <RooflinePlot id={episode.id} />
      </section>
    </>
  );
}

function StepView({ episode, step, position, explained }: { episode: Episode; step: Step; position: number; explained: EpisodeExplainResult }) {
  const { candidate, verdict, gradient } = step;
  const shown = step.exposures.filter((one) => one.shown).map((one) => explained.insights.find((insight) => insight.id === one.insight));
  return (
    <section aria-labelledby="step" class="card">
      <h2 id="step">Step {position}: {position === 0 ? "as given" : words(candidate.technique)}</h2>
      <p><State name={verdict.outcome} />{step.accepted && position > 0 && " became the incumbent"} {verdict.reason}</p>
      {position > 0 && <p>{candidate.rationale} <small>{candidate.parameters}; by {candidate.model || candidate.proposer}</small></p>}
      {position > 0 && <Gains episode={episode} step={step} />}
      {verdict.measurement && (
        <p>{time(verdict.measurement.median_ns)} <small>({bounds(verdict.measurement.low_ns, verdict.measurement.high_ns, time)}, {source(verdict.measurement.provider)}, {verdict.measurement.samples} samples)</small></p>
      )}
      {verdict.measurement?.times_best_library && (
        <p>{verdict.measurement.times_best_library.toPrecision(3)}x of {verdict.measurement.best_library?.library} <small>({verdict.measurement.best_library?.call}, {time(verdict.measurement.best_library?.ns ?? 0)})</small></p>
      )}
      <h3>Bottleneck of the kernel that was edited</h3>
      <p>{words(step.before.primary)}{step.before.headroom > 0 && `, ${(100 / step.before.headroom).toFixed(1)} % of the limit`}. {step.before.explanation}</p>
      {step.before.causes.length > 0 && (
        <Table caption="What it would save at most" heads={["Cause", "At stake", "Of the time", "Confidence"]} empty=""
          rows={step.before.causes.map((one) => [words(one.which), one.at_stake_ns > 0 ? time(one.at_stake_ns) : "", `${(100 * one.share).toFixed(0)} %`, `${(100 * one.confidence).toFixed(0)} %`])} />
      )}
      {gradient && (
        <>
          <h3>What the step taught</h3>
          <p>{gradient.text} <small>{gradient.author}</small></p>
          <Table caption="What moved" heads={["Metric", "Before", "After", "Unit"]} empty="No metric moved."
            rows={gradient.changes.map((change) => [change.name, change.before.toPrecision(4), change.after.toPrecision(4), change.unit])} />
        </>
      )}
      {shown.length > 0 && (
        <>
          <h3>Insights at hand</h3>
          <ul>{shown.map((one, i) => <li key={one?.id ?? i}>{one?.known ? <a href={href("insight", one.id)}>{one.claim}</a> : "no longer in the base"}</li>)}</ul>
        </>
      )}
      <details>
        <summary>Stages</summary>
        <Table caption="In the order run" heads={["Stage", "Passed", "Seconds", "Detail"]} empty="Nothing was run."
          rows={verdict.stages.map((stage) => [words(stage.stage), stage.passed ? "yes" : "no", stage.seconds.toFixed(2), stage.detail])} />
        {verdict.build && verdict.build.diagnostics !== "" && <pre tabIndex={0} aria-label="Compiler output">{verdict.build.diagnostics}</pre>}
      </details>
    </section>
  );
}

/** Predicted against measured, on one logarithmic axis. */
function Gains({ episode, step }: { episode: Episode; step: Step }) {
  const { predicted_gain: middle, predicted_low: low, predicted_high: high } = step.candidate;
  const seen = step.verdict.comparison;
  const kind = source(episode.provider);
  const found = seen ? bounds(seen.low, seen.high, (value) => value.toFixed(2)) : "";
  const ends = [low, high, seen?.low ?? 1, seen?.high ?? 1, 0.8, 1.25].filter((value) => value > 0).map(Math.log);
  const least = Math.min(...ends);
  const most = Math.max(...ends);
  const x = (ratio: number) => 8 + (Math.log(Math.max(ratio, 1e-6)) - least) / (most - least) * 284;
  const text = `Expected before it was tried ${middle.toFixed(2)}x (${low.toFixed(2)} to ${high.toFixed(2)}); `
    + (seen ? `${kind} ${seen.ratio.toFixed(2)}x (${found})` : "not compared");
  return (
    <figure class="gains">
      <svg viewBox="0 0 300 44" role="img" aria-label={text}>
        <line x1={x(1)} x2={x(1)} y1="2" y2="42" class="axis" />
        <line x1={x(low)} x2={x(high)} y1="14" y2="14" class="expected" />
        <circle cx={x(middle)} cy="14" r="4" class="expected" />
        {seen && seen.low !== null && seen.high !== null && <line x1={x(seen.low)} x2={x(seen.high)} y1="31" y2="31" class="seen" />}
        {seen && <circle cx={x(seen.ratio)} cy="31" r="4" class="seen" />}
      </svg>
      <figcaption>
        Expected {middle.toFixed(2)}x ({low.toFixed(2)} to {high.toFixed(2)});{" "}
        {seen ? <><Gain ratio={seen.ratio} from={kind} /> ({found})</> : "not compared"}. The line is 1x.
      </figcaption>
    </figure>
  );
}

const loadDiff = () => import("./diff").then((part) => part.Diff);

function Diff({ episode, chosen }: { episode: Episode; chosen: number }) {
  const parent = (position: number) => Math.max(0, parentOf(episode.steps[position] as Step, position));
  const [left, setLeft] = useState(parent(chosen));
  const [right, setRight] = useState(chosen);
  useEffect(() => {
    setLeft(parent(chosen));
    setRight(chosen);
  }, [episode.id, chosen]);
  const names = useMemo(() => episode.steps.map((step, i) => `${i}: ${i === 0 ? "as given" : words(step.candidate.technique)} (${words(step.verdict.outcome)})`), [episode.id]);
  const text = (position: number) => episode.steps[position]?.candidate.kernel.source ?? "";
  const choice = (label: string, value: number, set: (value: number) => void) => (
    <label>{label}
      <select value={String(value)} onChange={(event) => set(Number(event.currentTarget.value))}>
        {names.map((name, i) => <option key={i} value={String(i)}>{name}</option>)}
      </select>
    </label>
  );
  const props: DiffProps = { left: text(left), right: text(right), leftName: names[left] ?? "", rightName: names[right] ?? "" };
  return (
    <section aria-labelledby="diff">
      <h2 id="diff">Two kernels side by side</h2>
      <div class="fields">{choice("Left", left, setLeft)}{choice("Right", right, setRight)}</div>
      {props.left === props.right && <p class="quiet">These two are the same text; their launch plans may differ.</p>}
      <Lazy load={loadDiff} props={props} />
    </section>
  );
}

function Critique({ episode }: { episode: Episode }) {
  return (
    <section aria-labelledby="critique">
      <h2 id="critique">Critique <small>{episode.critic}</small></h2>
      {episode.claims.length === 0 && <p class="quiet">Nothing was claimed.</p>}
      <ul>
        {episode.claims.map((claim, i) => (
          <li key={i}>
            <strong>{words(claim.kind)}</strong> {claim.text} {claim.mechanism}{" "}
            <small>{claim.log_gain !== 0 && `${logGain(claim.log_gain)} ${source(episode.provider)}; `}steps {claim.steps.join(", ")}</small>
            {claim.refused !== "" && <span class="problem"> Refused: {claim.refused}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
