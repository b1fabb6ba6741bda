/** One insight: what it claims, what speaks for and against it, what happened to it, and what a person may do. */

import { logGain, moment, source, words } from "./format";
import { useAnswer, type Answer } from "./live";
import { Confirmed, Problem, State, Table, Title, Waiting, useOrder } from "./parts";
import { href } from "./route";
import type { EvidenceRef, HistoryEntry, Insight, KbHistoryResult, KbWhyResult } from "./wire";

export function InsightView({ id }: { id: string }) {
  const why = useAnswer("kb.why", { id });
  const history = useAnswer("kb.history", { id });
  return (
    <>
      <Title>Insight <small>{id}</small></Title>
      <Waiting answer={why}>{(known) => <Known known={known} changed={() => { why.reload(); history.reload(); }} />}</Waiting>
      <Past id={id} history={history} changed={() => { why.reload(); history.reload(); }} />
    </>
  );
}

function Known({ known, changed }: { known: KbWhyResult; changed: () => void }) {
  const { insight, lift } = known;
  const scope = Object.entries(insight.scope).flatMap(([name, value]) => {
    const text = Array.isArray(value) ? value.join(", ") : value === 0 ? "" : String(value);
    return text === "" ? [] : [`${words(name)}: ${text}`];
  });
  return (
    <>
      <p class="claim">{insight.claim}</p>
      <p>{insight.mechanism}</p>
      <Orders insight={insight} changed={changed} />
      <dl class="facts">
        <div><dt>State</dt><dd><State name={insight.state} />{insight.pinned && " pinned"} <small>{insight.state_reason}</small></dd></div>
        <div><dt>Trust</dt><dd>{insight.trust}</dd></div>
        <div><dt>Holds for</dt><dd>{scope.join("; ") || "everything"}</dd></div>
        <div><dt>Said by</dt><dd>{insight.provenance.author || insight.provenance.source}{insight.provenance.model !== "" && `, ${insight.provenance.model}`}</dd></div>
        <div><dt>Gain when followed</dt><dd>{insight.utility.observations > 0 ? `${logGain(insight.utility.mean)} (${logGain(insight.utility.low)} to ${logGain(insight.utility.high)}), ${insight.utility.observations} observations` : "not seen here"}</dd></div>
        <div><dt>Worth of showing it</dt><dd>{lift.known ? `${logGain(lift.lift)} (${logGain(lift.low)} to ${logGain(lift.high)})` : `not known yet: shown ${lift.shown}, withheld ${lift.withheld} times`}</dd></div>
      </dl>
      <Side title="Evidence for it" rows={insight.evidence.filter((one) => one.supports)} empty="None here." />
      <Side title="Evidence against it" rows={insight.evidence.filter((one) => !one.supports)} empty="None here." />
      {insight.attestations.length > 0 && (
        <Table caption="What other bases say; it is no evidence" heads={["Base", "State", "For", "Against"]} empty=""
          rows={insight.attestations.map((one) => [one.origin, words(one.state), String(one.supports), String(one.contradicts)])} />
      )}
    </>
  );
}

function Orders({ insight, changed }: { insight: Insight; changed: () => void }) {
  const { run, problem } = useOrder();
  const change = (command: string, done: string) => async (reason: string) => {
    const params = { id: insight.id, command, ...(reason === "" ? {} : { reason }) };
    if (await run("kb.change", params, done)) changed();
  };
  const retired = insight.state === "deprecated";
  return (
    <div>
      <p class="buttons">
        {insight.pinned
          ? <Confirmed label="Unpin" reason question="Unpin it? Measurements decide about it again." act={change("unpin", "The insight is unpinned.")} />
          : <Confirmed label="Pin" reason question="Pin it? You vouch for it: its state stays whatever is measured." act={change("pin", "The insight is pinned.")} />}
        {retired
          ? <Confirmed label="Reinstate" reason question="Offer it to episodes again?" act={change("reinstate", "The insight is offered again.")} />
          : <Confirmed label="Retire" reason danger question="Retire it? It is not offered to episodes any more; its history stays." act={change("retire", "The insight is retired.")} />}
      </p>
      <Problem text={problem} />
    </div>
  );
}

function Side({ title, rows, empty }: { title: string; rows: EvidenceRef[]; empty: string }) {
  return (
    <section>
      <h2>{title}</h2>
      <Table caption={`${rows.length} of the newest 64`} heads={["Episode", "Gain", "Operator", "Device", "Confirmed"]} empty={empty}
        rows={rows.map((one) => [
          <><a href={href("episode", one.episode)}>{one.episode}</a> step {one.step}</>,
          one.log_gain === 0 ? "not timed" : `${logGain(one.log_gain)} ${source(one.provider)}`,
          words(one.operator_family), one.device, one.confirmed ? "yes" : "screening",
        ])} />
    </section>
  );
}

function Past({ id, history, changed }: { id: string; history: Answer<KbHistoryResult>; changed: () => void }) {
  const { run, problem } = useOrder();
  const undo = (entry: HistoryEntry) => async (reason: string) => {
    const params = { id, change: entry.change, ...(reason === "" ? {} : { reason }) };
    if (await run("kb.undo", params, "The change is taken back.")) changed();
  };
  return (
    <section aria-labelledby="history">
      <h2 id="history">History</h2>
      <Problem text={problem} />
      <Waiting answer={history}>
        {({ entries }) => (
          <Table caption="Newest first" heads={["Change", "When", "By", "What", "Why", "Orders"]} empty="Nothing happened to it."
            keys={entries.map((one) => `${one.change}`).reverse()}
            rows={[...entries].reverse().map((one) => [
              String(one.change), moment(one.at), one.actor, <>{one.summary || words(one.op)}{one.undone && " (taken back)"}</>, one.reason,
              one.undone || one.op === "add" ? "" : <Confirmed label="Undo" name={`Undo change ${one.change}`} reason question={`Take change ${one.change} back?`} act={undo(one)} />,
            ])} />
        )}
      </Waiting>
    </section>
  );
}
