/** The page: who is in, where it is, what is live. */

import { render } from "preact";
import { useContext, useLayoutEffect, useRef, useState } from "preact/hooks";

import { Curves } from "./curves";
import { EpisodeView } from "./episode";
import { Episodes, JobView } from "./episodes";
import { InsightView } from "./insight";
import { Knowledge } from "./knowledge";
import { LiveContext } from "./live";
import { News } from "./news";
import { Overview } from "./overview";
import { RooflineView } from "./roofline";
import { href, useRoute, type Route } from "./route";
import { RulesView } from "./rules";
import { enter, forget, leave } from "./session";
import "./style.css";
import { useTheme } from "./theme";

const views = [
  ["overview", "Overview"], ["episodes", "Episodes"], ["curves", "Learning curves"],
  ["roofline", "Roofline"], ["knowledge", "Knowledge"], ["rules", "Budget and rules"],
] as const;
/** Which of them a deeper view belongs to. */
const above: Record<string, string> = { episode: "episodes", job: "episodes", insight: "knowledge" };

function View({ route }: { route: Route }) {
  switch (route.view) {
    case "overview": return <Overview />;
    case "episodes": return <Episodes />;
    case "episode": return <EpisodeView key={route.id} id={route.id} />;
    case "job": return <JobView key={route.id} id={route.id} />;
    case "curves": return <Curves />;
    case "roofline": return <RooflineView id={route.id} />;
    case "knowledge": return <Knowledge />;
    case "insight": return <InsightView key={route.id} id={route.id} />;
    case "rules": return <RulesView />;
    default: return <p>There is no such view. <a href={href("overview")}>Overview</a></p>;
  }
}

function Header({ here, ended }: { here: string; ended: () => void }) {
  const { up } = useContext(LiveContext);
  const [theme, turnTheme] = useTheme();
  return (
    <header>
      <strong>warpmind</strong>
      <nav aria-label="Views">
        <ul>{views.map(([view, name]) => <li key={view}><a href={href(view)} aria-current={here === view ? "page" : undefined}>{name}</a></li>)}</ul>
      </nav>
      <p class="buttons">
        <span class={up ? "up" : "down"} role="status">{up ? "live" : "connecting"}</span>
        <button type="button" onClick={turnTheme} aria-label={`Use ${theme === "dark" ? "light" : "dark"} colours`}>{theme === "dark" ? "Light" : "Dark"}</button>
        <button type="button" onClick={() => void leave().then(ended, ended)}>Leave</button>
      </p>
    </header>
  );
}

function Page({ ended }: { ended: () => void }) {
  const route = useRoute();
  const first = useRef(true);
  const here = above[route.view] ?? route.view;
  useLayoutEffect(() => {
    const name = views.find(([view]) => view === here)?.[1] ?? "";
    document.title = `${name} – warpmind`;
    // Whoever follows a link by keyboard goes on at the new title.
    if (!first.current) document.getElementById("main")?.focus();
    first.current = false;
    scrollTo(0, 0);
  }, [route.view, route.id]);
  const toMain = (event: Event) => {
    event.preventDefault();
    document.getElementById("main")?.focus();
  };
  return (
    <>
      <a class="skip" href="#main" onClick={toMain}>Skip to the content</a>
      <Header here={here} ended={ended} />
      <main id="main" tabIndex={-1}><View route={route} /></main>
    </>
  );
}

function Door({ why }: { why: string }) {
  return (
    <main class="door">
      <h1>warpmind</h1>
      <p role="alert">{why}</p>
      <p>Run <code>warpmind dashboard</code> in a terminal and open the address that it prints, or <code>warpmind dashboard --open</code>.</p>
    </main>
  );
}

function App({ outside }: { outside: string }) {
  const [why, setWhy] = useState(outside);
  const ended = () => {
    forget();
    setWhy("The session has ended.");
  };
  return why === "" ? <News ended={ended}><Page ended={ended} /></News> : <Door why={why} />;
}

async function start() {
  const place = document.getElementById("page") as HTMLElement;
  let outside = "";
  try {
    if (!(await enter())) outside = "This page needs an address that is good once.";
  } catch (error) {
    outside = error instanceof TypeError ? "The daemon does not answer." : (error as Error).message;
  }
  place.replaceChildren();
  render(<App outside={outside} />, place);
}

void start();
