/** Dark or light: the system's until somebody chooses. */

import { useEffect, useLayoutEffect, useState } from "preact/hooks";

export type Theme = "dark" | "light";
const key = "warpmind.theme";
const system = matchMedia("(prefers-color-scheme: dark)");

function chosen(): Theme | null {
  const kept = localStorage.getItem(key);
  return kept === "dark" || kept === "light" ? kept : null;
}

export function useTheme(): [Theme, () => void] {
  const [theme, setTheme] = useState<Theme>(chosen() ?? (system.matches ? "dark" : "light"));
  useEffect(() => {
    const follow = () => { if (chosen() === null) setTheme(system.matches ? "dark" : "light"); };
    system.addEventListener("change", follow);
    return () => system.removeEventListener("change", follow);
  }, []);
  useLayoutEffect(() => { document.documentElement.dataset["theme"] = theme; }, [theme]);
  const turn = () => {
    const other = theme === "dark" ? "light" : "dark";
    localStorage.setItem(key, other);
    setTheme(other);
  };
  return [theme, turn];
}

/** A colour of the style sheet, for canvases. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
