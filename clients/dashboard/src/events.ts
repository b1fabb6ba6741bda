/**
 * News from the daemon: server-sent events read through fetch, since EventSource cannot show a token. A stream that
 * breaks is taken up after the last event that was seen.
 */

import { SessionEnded, forget, token } from "./session";
import type { ProgressParams } from "./wire";

export type News =
  | { type: "open" }
  | { type: "reset" }
  | { type: "job"; job: ProgressParams }
  | { type: "changed" };

export interface Listener {
  news(news: News): void;
  /** Whether the stream stands. */
  connection(up: boolean): void;
  ended(): void;
}

const shortest = 500; // ms between two tries
const longest = 10_000;

/** Events of a text/event-stream as they come out of chunks that may end anywhere. */
export class EventReader {
  private rest = "";
  id = "";

  take(chunk: string): string[] {
    this.rest += chunk;
    const events: string[] = [];
    for (let end = this.rest.indexOf("\n\n"); end >= 0; end = this.rest.indexOf("\n\n")) {
      const block = this.rest.slice(0, end);
      this.rest = this.rest.slice(end + 2);
      const data: string[] = [];
      for (const line of block.split("\n")) {
        if (line.startsWith("id: ")) this.id = line.slice(4);
        if (line.startsWith("data: ")) data.push(line.slice(6));
      }
      if (data.length > 0) events.push(data.join("\n"));
    }
    return events;
  }

  /** What is left of a broken stream is half an event. */
  restart(): void {
    this.rest = "";
  }
}

/** Listens until `stop` is aborted or the session ends. */
export async function listen(listener: Listener, stop: AbortSignal): Promise<void> {
  const reader = new EventReader();
  let pause = shortest;
  while (!stop.aborted) {
    try {
      await readStream(reader, listener, stop, () => (pause = shortest));
    } catch (error) {
      if (error instanceof SessionEnded) {
        forget();
        return listener.ended();
      }
    }
    if (stop.aborted) return;
    listener.connection(false);
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(2 * pause, longest);
  }
}

async function readStream(reader: EventReader, listener: Listener, stop: AbortSignal, arrived: () => void) {
  const headers: Record<string, string> = { Authorization: `Bearer ${token() ?? ""}`, Accept: "text/event-stream" };
  if (reader.id !== "") headers["Last-Event-ID"] = reader.id;
  const answer = await fetch("/api/events", { headers, signal: stop });
  if (answer.status === 401) throw new SessionEnded("the session has ended");
  if (!answer.ok || answer.body === null) throw new Error(`events: ${answer.status}`);
  listener.connection(true);
  reader.restart();
  const text = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await text.read();
    if (done) return;
    arrived();
    for (const event of reader.take(value)) listener.news(JSON.parse(event) as News);
  }
}
