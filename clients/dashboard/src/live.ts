/** Answers of the daemon that stay fresh while the page shows them. */

import { createContext } from "preact";
import { useCallback, useContext, useEffect, useRef, useState } from "preact/hooks";

import { SessionEnded, call } from "./session";
import type { Progress } from "./wire";

export interface Live {
  /** Grows when a job begins or ends, or an order was taken: lists are stale then. */
  turn: number;
  progress: ReadonlyMap<string, Progress>;
  up: boolean;
  /** Says one sentence to whoever cannot see the page change. */
  say(sentence: string): void;
  ended(): void;
}

export const LiveContext = createContext<Live>({
  turn: 0, progress: new Map(), up: false, say: () => undefined, ended: () => undefined,
});

export interface Answer<T> {
  value: T | undefined;
  error: string;
  reload(): void;
}

const often = 10_000; // ms; other clients change things without an event

/** Until the answer to other parameters is there, the old one stays. Asks at once, when `params` or the turn change, when the page comes back into view, and every 10 s. */
export function useAnswer<T>(method: string | null, params: object = {}, every: number = often): Answer<T> {
  const live = useContext(LiveContext);
  const [state, setState] = useState<{ value: T | undefined; error: string }>({ value: undefined, error: "" });
  const key = method === null ? "" : method + JSON.stringify(params);
  const newest = useRef(0);
  const load = useCallback(async () => {
    if (method === null) return;
    const mine = ++newest.current;
    try {
      const value = await call<T>(method, params);
      if (mine === newest.current) setState({ value, error: "" });
    } catch (error) {
      if (error instanceof SessionEnded) return live.ended();
      const sentence = error instanceof TypeError ? "The daemon does not answer." : (error as Error).message;
      if (mine === newest.current) setState((old) => ({ value: old.value, error: sentence }));
    }
  }, [key]);
  useEffect(() => void load(), [load, live.turn]);
  useEffect(() => {
    const again = () => { if (document.visibilityState === "visible") void load(); };
    const timer = setInterval(again, every);
    document.addEventListener("visibilitychange", again);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", again);
    };
  }, [load, every]);
  return { ...state, reload: () => void load() };
}
