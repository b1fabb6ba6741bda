/** Tells everything below it what the daemon says of itself. */

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";

import { listen, type News as OneOfThem } from "./events";
import { LiveContext, ProgressContext, type Live } from "./live";
import type { ProgressParams } from "./wire";

/** A burst of news changes the page once. */
const together = 300; // ms
/** Lists are asked for without the stream when it does not open: 32 pages may have one. */
const patience = 1000; // ms

/** What came in since the page was last changed. */
class Inbox {
  readonly progress = new Map<string, ProgressParams>();
  stale = false;
  moved = false;
  private readonly states = new Map<string, string>();

  take(one: OneOfThem): void {
    if (one.type !== "job") {
      this.stale = true;
      return;
    }
    const { job_id: id, state } = one.job;
    this.progress.set(id, one.job);
    this.moved = true;
    // A step changes no list; a state does.
    if (this.states.get(id) !== state) this.stale = true;
    this.states.set(id, state);
  }
}

interface Told {
  turn: number;
  up: boolean;
  lost: boolean;
  progress: ReadonlyMap<string, ProgressParams>;
}

function useNews(ended: () => void): Told {
  const [turn, setTurn] = useState(-1);
  const [up, setUp] = useState(false);
  const [lost, setLost] = useState(false);
  const [progress, setProgress] = useState<ReadonlyMap<string, ProgressParams>>(new Map());
  useEffect(() => {
    const stop = new AbortController();
    const inbox = new Inbox();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let opened = false;
    let failures = 0;
    const show = () => {
      timer = undefined;
      if (document.visibilityState !== "visible") return; // nobody looks; what came stays in the inbox
      if (inbox.moved) setProgress(new Map(inbox.progress));
      if (inbox.stale) setTurn((old) => old + 1);
      inbox.moved = inbox.stale = false;
    };
    const begin = () => {
      if (opened) return;
      opened = true;
      setTurn(0);
    };
    const news = (one: OneOfThem) => {
      if (one.type === "open" && !opened) return begin();
      inbox.take(one);
      timer ??= setTimeout(show, together);
    };
    const connection = (stands: boolean) => {
      failures = stands ? 0 : failures + 1;
      setUp(stands);
      setLost(failures > 1); // a single break is mended before anybody reads of it
    };
    const late = setTimeout(begin, patience);
    document.addEventListener("visibilitychange", show);
    void listen({ news, connection, ended }, stop.signal);
    return () => {
      stop.abort();
      clearTimeout(timer);
      clearTimeout(late);
      document.removeEventListener("visibilitychange", show);
    };
  }, []);
  return { turn, up, lost, progress };
}

export function News({ ended, children }: { ended: () => void; children: ComponentChildren }) {
  const { turn, up, lost, progress } = useNews(ended);
  const [said, setSaid] = useState("");
  const live = useMemo<Live>(() => ({ turn, up, say: setSaid, ended }), [turn, up]);
  return (
    <LiveContext.Provider value={live}>
      <ProgressContext.Provider value={progress}>
        {lost && <p class="problem lost" role="alert">The daemon does not answer; this is what it said last.</p>}
        <p class="said" role="status" aria-live="polite">{said}</p>
        {children}
      </ProgressContext.Provider>
    </LiveContext.Provider>
  );
}
