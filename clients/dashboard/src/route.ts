/** Where the page is: `#/episode/e-0000000007`. */

import { useEffect, useState } from "preact/hooks";

export interface Route {
  view: string;
  id: string;
}

function current(): Route {
  const [view = "", id = ""] = location.hash.replace(/^#\//, "").split("/").map(decodeURIComponent);
  return { view: view || "overview", id };
}

export function href(view: string, id = ""): string {
  return `#/${view}${id === "" ? "" : `/${encodeURIComponent(id)}`}`;
}

export function useRoute(): Route {
  const [route, setRoute] = useState(current);
  useEffect(() => {
    const move = () => setRoute(current());
    addEventListener("hashchange", move);
    return () => removeEventListener("hashchange", move);
  }, []);
  return route;
}
