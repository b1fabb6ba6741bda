/** Small things that every view uses. Text from kernels and the base enters as text nodes alone. */

import type { ComponentChildren, JSX } from "preact";
import { useContext, useEffect, useId, useRef, useState } from "preact/hooks";

import { gain, source, words } from "./format";
import { LiveContext, type Answer } from "./live";
import { SessionEnded, call } from "./session";
import type { Comparison, Methods } from "./wire";

export function Title({ children }: { children: ComponentChildren }) {
  return <h1 tabIndex={-1} id="title">{children}</h1>;
}

export function Waiting<T>({ answer, children }: { answer: Answer<T>; children: (value: T) => ComponentChildren }) {
  if (answer.value !== undefined) {
    return <>{answer.error !== "" && <p class="problem" role="alert">{answer.error}</p>}{children(answer.value)}</>;
  }
  return answer.error !== "" ? <p class="problem" role="alert">{answer.error}</p> : <p class="quiet">Loading.</p>;
}

export function State({ name }: { name: string }) {
  return <span class={`state state-${name}`}>{name === "unjudgeable" ? "cannot be judged" : words(name)}</span>;
}

/** A gain never stands without the word for where it comes from. */
export function Gain({ ratio, from }: { ratio: number; from: string }) {
  return <span class={`gain gain-${from}`}>{gain(ratio)} <small>{from}</small></span>;
}

/** "19.2x to 48.5x", or "low confidence". */
export function bounds(low: number | null, high: number | null, format: (value: number) => string): string {
  return low === null || high === null ? "low confidence" : `${format(low)} to ${format(high)}`;
}

export function Interval({ of, provider }: { of: Comparison; provider: string }) {
  return (
    <span>
      <Gain ratio={of.ratio} from={source(provider)} />{" "}
      <small>({bounds(of.low, of.high, gain)}{of.low !== null && `, ${(100 * of.confidence).toFixed(0)} %`})</small>
    </span>
  );
}

/** A table that becomes a list of cards in a narrow window. `rows`: cells in the order of the heads. */
export function Table({ caption, heads, rows, keys, empty }: {
  caption: string; heads: string[]; rows: ComponentChildren[][]; keys?: string[]; empty: string;
}) {
  if (rows.length === 0) return <p class="quiet">{empty}</p>;
  return (
    <table>
      <caption>{caption}</caption>
      <thead><tr>{heads.map((head) => <th scope="col" key={head}>{head}</th>)}</tr></thead>
      <tbody>
        {rows.map((row, i) => (
          <tr key={keys?.[i] ?? i}>
            {row.map((cell, j) => j === 0
              ? <th scope="row" data-head={heads[j]} key={j}>{cell}</th>
              : <td data-head={heads[j]} key={j}>{cell}</td>)}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** How near a time is to the least that the device allows; `before`: where the given kernel stands, 0 = not shown. */
export function ShareBar({ share, before = 0, label }: { share: number; before?: number; label: string }) {
  const width = (ratio: number) => 100 * Math.min(Math.max(ratio, 0), 1);
  return (
    <svg class="share" viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label={label}>
      <rect class="room" width="100" height="8" />
      <rect class="reached" width={width(share)} height="8" />
      {before > 0 && <rect class="before" x={Math.min(width(before), 99)} width="1" height="8" />}
    </svg>
  );
}

/** Used of a limit; without one, the amount alone. */
export function Meter({ label, spent, limit, text }: { label: string; spent: number; limit: number; text: string }) {
  const id = useId();
  return (
    <p class="meter">
      <span id={id}>{label}</span>
      {limit > 0 && <progress aria-labelledby={id} max={limit} value={Math.min(spent, limit)} />}
      <span>{text}</span>
    </p>
  );
}

type Run = <M extends keyof Methods>(method: M, params: Methods[M]["params"], done: string) => Promise<boolean>;

/** Runs an order of the user and says what came of it. */
export function useOrder(): { run: Run; problem: string } {
  const live = useContext(LiveContext);
  const [problem, setProblem] = useState("");
  const run: Run = async (method, params, done) => {
    try {
      const result = await call(method, params);
      const refused = "refused" in result ? result.refused : [];
      setProblem(refused.join(" "));
      live.say(refused.length > 0 ? refused.join(" ") : done);
      return refused.length === 0;
    } catch (error) {
      if (error instanceof SessionEnded) {
        live.ended();
        return false;
      }
      setProblem((error as Error).message);
      live.say((error as Error).message);
      return false;
    }
  };
  return { run, problem };
}

export function Problem({ text }: { text: string }) {
  return text === "" ? null : <p class="problem" role="alert">{text}</p>;
}

/** A button that asks before it acts; with `reason`, for a sentence that the history keeps. */
export function Confirmed({ label, name, question, act, reason = false, danger = false }: {
  label: string; name?: string; question: string; act: (reason: string) => Promise<unknown>; reason?: boolean; danger?: boolean;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [open, setOpen] = useState(false);
  const [text, setText] = useState("");
  const heading = useId();
  useEffect(() => { if (open) dialog.current?.showModal(); }, [open]);
  const confirm = async (event: Event) => {
    event.preventDefault();
    dialog.current?.close();
    await act(text.trim());
    setText("");
  };
  return (
    <>
      <button type="button" class={danger ? "danger" : ""} aria-label={name ?? label} onClick={() => setOpen(true)}>{label}</button>
      {open && (
        <dialog ref={dialog} aria-labelledby={heading} onClose={() => setOpen(false)}>
          <form onSubmit={confirm}>
            <p id={heading}>{question}</p>
            {reason && (
              <label>Why? (kept in the history)
                <input value={text} maxLength={200} onInput={(event) => setText(event.currentTarget.value)} />
              </label>
            )}
            <p class="buttons">
              <button type="submit" class={danger ? "danger" : "primary"}>{label}</button>
              <button type="button" onClick={() => dialog.current?.close()}>Leave it</button>
            </p>
          </form>
        </dialog>
      )}
    </>
  );
}

/** Loads a part of the page when it is first shown. */
export function Lazy<Props extends object>({ load, props }: { load: () => Promise<(props: Props) => JSX.Element>; props: Props }) {
  const [Part, setPart] = useState<{ draw: (props: Props) => JSX.Element } | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    let shown = true;
    load().then(
      (draw) => { if (shown) setPart({ draw }); },
      () => { if (shown) setProblem("A part of the page could not be loaded; is the daemon still there?"); },
    );
    return () => { shown = false; };
  }, []);
  if (Part === null) return problem === "" ? <p class="quiet">Loading.</p> : <Problem text={problem} />;
  return <Part.draw {...props} />;
}
