/** A card for each task: how much faster it is, how near the device's limit, and why. */

import { gain, moment, share, source, time, words } from "./format";
import { Gain, ShareBar, State } from "./parts";
import { href } from "./route";
import type { ListedEpisode } from "./wire";

interface TaskCard {
  best: ListedEpisode;
  episodes: number;
}

/** Gains that differ by less are the same. */
const same = 0.005;

/**
 * Of each task the episode with the largest gain, measured before predicted. Of those with the same gain the first: it says
 * how it was found, and the later ones only remember it.
 */
export function cardsOf(episodes: readonly ListedEpisode[]): TaskCard[] {
  const rank = (one: ListedEpisode) => (one.provider === "sim" ? 0 : 1);
  const cards = new Map<string, TaskCard>();
  for (const one of episodes) {
    if (one.episode_id === "") continue;
    const card = cards.get(one.task);
    if (card === undefined) {
      cards.set(one.task, { best: one, episodes: 1 });
      continue;
    }
    ++card.episodes;
    const measured = rank(one) - rank(card.best);
    const faster = one.ratio > 1 && one.ratio > card.best.ratio * (1 - same);
    if (measured > 0 || (measured === 0 && faster)) card.best = one;
  }
  return [...cards.values()].sort((a, b) => rank(b.best) - rank(a.best) || b.best.ratio - a.best.ratio);
}

/** What was slow, and what was done about it. */
function why(one: ListedEpisode): string {
  const before = one.bottleneck === "" || one.bottleneck === "unknown" ? "" : words(one.bottleneck);
  const tried = one.curve.length;
  const done = one.how.length > 0 ? one.how.map(words).join(", then ")
    : tried > 0 ? `nothing better in ${tried} candidate${tried > 1 ? "s" : ""}` : "no candidate was tried";
  return before === "" ? done : `${before}: ${done}`;
}

export function TaskCards({ episodes }: { episodes: readonly ListedEpisode[] }) {
  const cards = cardsOf(episodes);
  if (cards.length === 0) {
    return <p class="quiet">No task was optimised yet. <code>warpmind optimize DIR</code> in a terminal begins with one.</p>;
  }
  return <ul class="cards">{cards.map((card) => <li key={card.best.task} class="card"><Card card={card} /></li>)}</ul>;
}

function Card({ card: { best, episodes } }: { card: TaskCard }) {
  const faster = best.ratio > 1;
  const reached = best.limit_ns > 0 && best.best_ns > 0 ? Math.min(1, best.limit_ns / best.best_ns) : 0;
  const given = best.limit_ns > 0 && best.given_ns > 0 ? Math.min(1, best.limit_ns / best.given_ns) : 0;
  return (
    <>
      <h3><a href={href("episode", best.episode_id)}>{best.task}</a></h3>
      <p class="headline">
        {faster ? <Gain ratio={best.ratio} from={source(best.provider)} /> : <State name={best.outcome} />}
        {faster && <Sparkline curve={best.curve} />}
      </p>
      {best.given_ns > 0 && <p class="times">{time(best.given_ns)}{faster && best.best_ns > 0 && <> → <strong>{time(best.best_ns)}</strong></>}</p>}
      {reached > 0 && (
        <p class="reach">
          <ShareBar share={reached} before={faster ? given : 0} label={`${best.task} reaches ${share(reached)} of the limit, as given ${share(given)}`} />
          <small>{share(reached)} of the limit ({best.limited_by})</small>
        </p>
      )}
      <p class="why">{why(best)}</p>
      <p class="quiet"><small>{best.device}{episodes > 1 && `, ${episodes} episodes`}, {moment(best.submitted)}</small></p>
    </>
  );
}

const wide = 120;
const high = 32;

/** The best gain after each candidate, on a logarithmic scale. */
function Sparkline({ curve }: { curve: readonly number[] }) {
  if (curve.length === 0) return null;
  const values = [1, ...curve].map((ratio) => Math.log(Math.max(ratio, 1)));
  const most = Math.max(...values, Math.log(1.05));
  const points = values.map((value, i) => `${(2 + i * (wide - 4) / (values.length - 1)).toFixed(1)},${(high - 2 - value / most * (high - 4)).toFixed(1)}`);
  const text = `The best gain after each of ${curve.length} candidates, ${gain(Math.max(...curve, 1))} at the end`;
  return (
    <svg class="spark" viewBox={`0 0 ${wide} ${high}`} role="img" aria-label={text}>
      <polygon points={`2,${high} ${points.join(" ")} ${wide - 2},${high}`} />
      <polyline points={points.join(" ")} />
    </svg>
  );
}
