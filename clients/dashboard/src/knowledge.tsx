/** What the base knows: insights to search, and the techniques that followed each other. */

import { useMemo, useState } from "preact/hooks";

import { logGain, source, words } from "./format";
import { useAnswer } from "./live";
import { Lazy, State, Table, Title, Waiting } from "./parts";
import { href } from "./route";
import type { GraphProps } from "./graph";
import type { EdgeStatistics } from "./wire";

const page = 20;
const most = 200; // that the daemon gives at once

export function Knowledge() {
  return (
    <>
      <Title>Knowledge</Title>
      <Insights />
      <Techniques />
    </>
  );
}

function Insights() {
  const [typed, setTyped] = useState("");
  const [text, setText] = useState("");
  const [all, setAll] = useState(false);
  const [limit, setLimit] = useState(page);
  const found = useAnswer("kb.search", { text, all, limit });
  return (
    <section aria-labelledby="insights">
      <h2 id="insights">Insights</h2>
      <form role="search" onSubmit={(event) => { event.preventDefault(); setText(typed.trim()); setLimit(page); }}>
        <label>Words, identifiers, techniques
          <input type="search" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
        </label>
        <label class="check"><input type="checkbox" checked={all} onChange={(event) => setAll(event.currentTarget.checked)} /> also those that are never offered</label>
        <p class="buttons"><button type="submit" class="primary">Search</button></p>
      </form>
      <Waiting answer={found}>
        {(answer) => (
          <Table
            caption={`${answer.insights.length} of ${answer.documents} insights, best first`}
            heads={["Claim", "State", "Trust", "Gain when followed", "Evidence here"]}
            keys={answer.insights.map((one) => one.id)}
            empty={answer.note || "Nothing is known of that."}
            rows={answer.insights.map((one) => [
              <a href={href("insight", one.id)}>{one.claim}</a>,
              <State name={one.state} />,
              one.trust,
              one.utility.observations > 0 ? `${logGain(one.utility.mean)} (${logGain(one.utility.low)} to ${logGain(one.utility.high)})` : "a claim",
              String(one.utility.observations),
            ])}
          />
        )}
      </Waiting>
      {found.value !== undefined && found.value.insights.length >= limit && limit < most && (
        <p class="buttons"><button type="button" onClick={() => setLimit(Math.min(most, 4 * limit))}>Show more</button></p>
      )}
    </section>
  );
}

/** Edges of the same pair and source as one. */
export function joined(edges: EdgeStatistics[]): EdgeStatistics[] {
  const pairs = new Map<string, EdgeStatistics>();
  for (const edge of edges) {
    const key = `${edge.from}>${edge.to}>${edge.provider}`;
    const known = pairs.get(key);
    if (known === undefined) {
      pairs.set(key, { ...edge, examples: [...edge.examples] });
      continue;
    }
    const measured = known.measured + edge.measured;
    known.mean_log_gain = measured > 0 ? (known.mean_log_gain * known.measured + edge.mean_log_gain * edge.measured) / measured : 0;
    known.measured = measured;
    known.feasible += edge.feasible;
    known.infeasible += edge.infeasible;
    known.better += edge.better;
    known.examples.push(...edge.examples);
  }
  return [...pairs.values()].sort((a, b) => b.measured - a.measured || a.from.localeCompare(b.from) || a.to.localeCompare(b.to));
}

const loadGraph = () => import("./graph").then((part) => part.Graph);

function Techniques() {
  const answer = useAnswer("kb.graph", { limit: 500 });
  const [chosen, setChosen] = useState("");
  return (
    <section aria-labelledby="graph">
      <h2 id="graph">Techniques that followed each other</h2>
      <Waiting answer={answer}>
        {({ edges }) => (edges.length === 0
          ? <p class="quiet">No step was judged yet.</p>
          : <Net edges={edges} chosen={chosen} choose={setChosen} />)}
      </Waiting>
      {chosen !== "" && <TechniqueCard key={chosen} name={chosen} />}
    </section>
  );
}

export function techniqueName(name: string): string {
  return name === "" ? "as given" : words(name);
}

function Net({ edges, chosen, choose }: { edges: EdgeStatistics[]; chosen: string; choose: (name: string) => void }) {
  const pairs = useMemo(() => joined(edges), [edges]);
  const names = useMemo(() => [...new Set(pairs.flatMap((edge) => [edge.from, edge.to]))].filter((name) => name !== "").sort(), [pairs]);
  const shown = chosen === "" ? pairs : pairs.filter((edge) => edge.from === chosen || edge.to === chosen);
  const props: GraphProps = { edges: pairs, chosen, choose };
  return (
    <>
      <label>Technique
        <select value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
          <option value="">all of them</option>
          {names.map((name) => <option key={name} value={name}>{techniqueName(name)}</option>)}
        </select>
      </label>
      <Lazy load={loadGraph} props={props} />
      <Table
        caption="What was tried after what, with its evidence"
        heads={["First", "Then", "Mean gain", "Compared", "Became best", "Could not be done", "Seen in"]}
        empty="Nothing was tried with it."
        rows={shown.slice(0, 60).map((edge) => [
          techniqueName(edge.from),
          techniqueName(edge.to),
          edge.measured > 0 ? `${logGain(edge.mean_log_gain)} ${source(edge.provider)}` : "not compared",
          String(edge.measured),
          String(edge.better),
          String(edge.infeasible),
          <>{edge.examples.slice(0, 3).map((one) => <><a key={one.episode} href={href("episode", one.episode)}>{one.episode}</a> </>)}</>,
        ])}
      />
    </>
  );
}

function TechniqueCard({ name }: { name: string }) {
  const answer = useAnswer("kb.show", { id: name });
  return (
    <div class="card">
      <h3>{words(name)}</h3>
      <Waiting answer={answer}>
        {({ technique }) => (technique === null || technique === undefined
          ? <p class="quiet">There is no card of it.</p>
          : <dl>
              <dt>When</dt><dd>{technique.when}</dd>
              <dt>When not</dt><dd>{technique.when_not}</dd>
              <dt>How</dt><dd>{technique.how}</dd>
              <dt>Risks</dt><dd>{technique.risks}</dd>
            </dl>)}
      </Waiting>
    </div>
  );
}
