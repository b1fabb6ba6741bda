/** The way to the daemon: the code of the address for a token, the token for answers. */

import type { Methods } from "./wire";

const key = "warpmind.session";

export class SessionEnded extends Error {}
/** The daemon said no; the message is for a person. */
export class Refused extends Error {}

export function token(): string | null {
  return sessionStorage.getItem(key);
}

export function forget(): void {
  sessionStorage.removeItem(key);
}

/** Takes the code out of the address, so that neither history nor a bookmark keeps it. */
function codeInAddress(): string | null {
  const found = /^#code=([0-9a-f]{64})$/.exec(location.hash);
  if (found) history.replaceState(null, "", "/#/overview");
  return found?.[1] ?? null;
}

/** True when there is a session. */
export async function enter(): Promise<boolean> {
  const code = codeInAddress();
  if (code === null) return token() !== null;
  const answer = await fetch("/api/login", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ code }),
  });
  if (!answer.ok) throw new Refused((await answer.text()).trim());
  const opened = (await answer.json()) as { token: string };
  sessionStorage.setItem(key, opened.token);
  return true;
}

export async function leave(): Promise<void> {
  const shown = token();
  forget();
  if (shown === null) return;
  await fetch("/api/logout", {
    method: "POST",
    headers: { Authorization: `Bearer ${shown}`, "Content-Type": "application/json" },
    body: "{}",
  });
}

let lastId = 0;

/** One method of the daemon. Throws SessionEnded, Refused, or what fetch throws when nobody listens. */
export async function call<M extends keyof Methods>(method: M, params: Methods[M]["params"]): Promise<Methods[M]["result"]> {
  const answer = await fetch("/api/rpc", {
    method: "POST",
    headers: { Authorization: `Bearer ${token() ?? ""}`, "Content-Type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: ++lastId, method, params }),
  });
  if (answer.status === 401) {
    forget();
    throw new SessionEnded((await answer.text()).trim());
  }
  if (!answer.headers.get("Content-Type")?.startsWith("application/json")) {
    throw new Refused((await answer.text()).trim());
  }
  const reply = (await answer.json()) as { result?: Methods[M]["result"]; error?: { message: string } };
  if (reply.error) throw new Refused(reply.error.message);
  return reply.result as Methods[M]["result"];
}
