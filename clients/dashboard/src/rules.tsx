/** Quiet hours and limits: what they are, what is left of them, and how to change them. */

import { useState } from "preact/hooks";

import { amountNames, unit } from "./format";
import { useAnswer } from "./live";
import { Problem, Title, Waiting, useOrder } from "./parts";
import { Spent } from "./overview";
import type { QueueRulesResult } from "./wire";

export function RulesView() {
  const rules = useAnswer("queue.rules", {});
  return (
    <>
      <Title>Budget and rules</Title>
      <Waiting answer={rules}>
        {(values) => (
          <>
            <h2>Spent in the night of {values.night}</h2>
            <Spent rules={values} />
            <Quiet rules={values} />
            <Limits title="Limits of a night" member="night" limits={values.night_limits} />
            <Limits title="Limits of each user in a night" member="user" limits={values.user_limits} />
          </>
        )}
      </Waiting>
    </>
  );
}

function Quiet({ rules }: { rules: QueueRulesResult }) {
  const [hours, setHours] = useState<string | null>(null);
  const { run, problem } = useOrder();
  const save = async (event: Event) => {
    event.preventDefault();
    if (await run("queue.rules", { quiet_hours: (hours ?? rules.quiet_hours).trim() }, "Quiet hours are set.")) setHours(null);
  };
  return (
    <form onSubmit={(event) => void save(event)} aria-labelledby="quiet-title">
      <h2 id="quiet-title">Quiet hours</h2>
      <p>Nothing of the background runs then. {rules.quiet ? "They hold now." : "They do not hold now."}</p>
      <Problem text={problem} />
      <label>Local time, as 08:00-19:00; empty is never
        <input value={hours ?? rules.quiet_hours} onInput={(event) => setHours(event.currentTarget.value)} />
      </label>
      <p class="buttons"><button type="submit" class="primary">Set quiet hours</button></p>
    </form>
  );
}

function Limits({ title, member, limits }: { title: string; member: "night" | "user"; limits: Record<string, number> }) {
  const [edited, setEdited] = useState<Record<string, string>>({});
  const { run, problem } = useOrder();
  const save = async (event: Event) => {
    event.preventDefault();
    const wanted = Object.fromEntries(Object.entries(edited).map(([name, text]) => [name, Number(text)]));
    if (await run("queue.rules", { [member]: wanted }, `${title} are set.`)) setEdited({});
  };
  return (
    <form onSubmit={(event) => void save(event)} aria-labelledby={`${member}-title`}>
      <h2 id={`${member}-title`}>{title}</h2>
      <Problem text={problem} />
      <div class="fields">
        {amountNames.map((name) => (
          <label key={name}>{unit(name)} (0 = no limit)
            <input type="number" min="0" step="any" required value={edited[name] ?? String(limits[name] ?? 0)}
              onInput={(event) => setEdited({ ...edited, [name]: event.currentTarget.value })} />
          </label>
        ))}
      </div>
      <p class="buttons"><button type="submit" class="primary" disabled={Object.keys(edited).length === 0}>Set these limits</button></p>
    </form>
  );
}
