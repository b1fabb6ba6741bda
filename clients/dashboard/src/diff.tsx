/**
 * Two texts side by side, or one above the other in a narrow window. The editor lives in a shadow tree: there its styles
 * are style sheet objects, which a strict policy allows, and not elements, which it would refuse.
 */

import { cpp } from "@codemirror/lang-cpp";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef, useState } from "preact/hooks";

export interface DiffProps {
  left: string;
  right: string;
  leftName: string;
  rightName: string;
}

const narrow = 700; // px
const steps = 8;
const context = 120; // px that stay above the first line of the shorter text

/** Variables of the page reach into the shadow tree. */
const highlight = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.controlKeyword], color: "var(--accent)" },
  { tag: [tags.string, tags.number, tags.bool], color: "var(--predicted)" },
  { tag: tags.comment, color: "var(--faint)", fontStyle: "italic" },
  { tag: [tags.typeName, tags.processingInstruction], color: "var(--good)" },
]);

function extensions(name: string, dark: boolean) {
  const look = {
    "&": { fontSize: "0.8125rem", backgroundColor: "var(--paper)", color: "var(--ink)" },
    ".cm-scroller": { fontFamily: "ui-monospace, monospace" },
    ".cm-gutters": { backgroundColor: "var(--raised)", color: "var(--faint)", border: "none" },
  };
  return [
    lineNumbers(), cpp(), syntaxHighlighting(highlight), EditorView.theme(look, { dark }),
    EditorState.readOnly.of(true), EditorView.contentAttributes.of({ "aria-label": name }),
  ];
}

function useDark(): boolean {
  const now = () => document.documentElement.dataset["theme"] === "dark";
  const [dark, setDark] = useState(now);
  useEffect(() => {
    const watch = new MutationObserver(() => setDark(now()));
    watch.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => watch.disconnect();
  }, []);
  return dark;
}

export function Diff({ left, right, leftName, rightName }: DiffProps) {
  const host = useRef<HTMLDivElement>(null);
  const dark = useDark();
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    const parent = document.createElement("div");
    root.replaceChildren(parent);
    if (element.clientWidth < narrow) {
      const view = new EditorView({
        root, parent,
        state: EditorState.create({
          doc: right,
          extensions: [...extensions(`${rightName}, against ${leftName}`, dark), unifiedMergeView({ original: left, mergeControls: false, collapseUnchanged: {} })],
        }),
      });
      return () => view.destroy();
    }
    const view = new MergeView({
      root, parent, gutter: true, collapseUnchanged: {},
      a: { doc: left, extensions: extensions(leftName, dark) },
      b: { doc: right, extensions: extensions(rightName, dark) },
    });
    // Where one begins with a long text that the other lacks, the first thing to see is not the void beside it.
    let frame = 0;
    // The editor guesses the height of what it has not shown yet, so the place is found in a few steps.
    const place = (left: number) => {
      const first = Math.max(view.a.coordsAtPos(0)?.top ?? 0, view.b.coordsAtPos(0)?.top ?? 0);
      element.scrollTop += Math.max(0, first - element.getBoundingClientRect().top - context);
      if (left > 0) frame = requestAnimationFrame(() => place(left - 1));
    };
    place(steps);
    return () => {
      cancelAnimationFrame(frame);
      view.destroy();
    };
  }, [left, right, leftName, rightName, dark]);
  return <div class="diff" ref={host} />;
}
