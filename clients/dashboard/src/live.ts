/** Answers of the daemon that stay fresh while the page shows them. Nothing is asked again unless the daemon says that something changed. */

import { createContext } from "preact";
import { useCallback, useContext, useEffect, useMemo, useRef, useState } from "preact/hooks";

import { SessionEnded, call } from "./session";
import type { Methods, ProgressParams } from "./wire";

export interface Live {
  /** Grows when something that a list shows has changed: answers are stale then. Before 0 nothing is asked. */
  turn: number;
  up: boolean;
  /** Says one sentence to whoever cannot see the page change. */
  say(sentence: string): void;
  ended(): void;
}

export const LiveContext = createContext<Live>({
  turn: -1, up: false, say: () => undefined, ended: () => undefined,
});
/** What each job said last. Apart from the rest, because it changes with every step of every job. */
export const ProgressContext = createContext<ReadonlyMap<string, ProgressParams>>(new Map());

export interface Answer<T> {
  value: T | undefined;
  error: string;
  reload(): void;
}

/**
 * Asks when it is first shown, and when `params` or the turn change; `lasting`: what was answered once stays true. An answer
 * that was overtaken by another question is shown until the newer one comes. Of questions that are the same, one at a time
 * is under way.
 */
export function useAnswer<M extends keyof Methods>(
  method: M | null, params: Methods[M]["params"] = {} as Methods[M]["params"], lasting = false,
): Answer<Methods[M]["result"]> {
  type T = Methods[M]["result"];
  const live = useContext(LiveContext);
  const [state, setState] = useState<{ value: T | undefined; error: string }>({ value: undefined, error: "" });
  const key = method === null ? "" : method + JSON.stringify(params);
  const asked = useRef(0);
  const shown = useRef(0);
  const answered = useRef("");
  const mounted = useRef(true);
  useEffect(() => () => { mounted.current = false; }, []);
  const flight = useMemo(() => ({ busy: false, again: false }), [key]);
  const load = useCallback(async () => {
    if (method === null || !mounted.current) return;
    if (flight.busy) {
      flight.again = true;
      return;
    }
    flight.busy = true;
    const mine = ++asked.current;
    try {
      const value = await call(method, params);
      if (mine > shown.current) setState({ value, error: "" });
      shown.current = Math.max(mine, shown.current);
      answered.current = key;
    } catch (error) {
      if (error instanceof SessionEnded) return live.ended();
      const sentence = error instanceof TypeError ? "The daemon does not answer." : (error as Error).message;
      if (mine === asked.current) setState((old) => ({ value: old.value, error: sentence }));
    } finally {
      flight.busy = false;
    }
    if (flight.again) {
      flight.again = false;
      void load();
    }
  }, [key]);
  useEffect(() => {
    if (live.turn >= 0 && !(lasting && answered.current === key)) void load();
  }, [load, live.turn]);
  return { ...state, reload: () => void load() };
}
