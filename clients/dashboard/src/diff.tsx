/**
 * Two texts side by side, or one above the other in a narrow window. The editor lives in a shadow tree: there its styles
 * are style sheet objects, which a strict policy allows, and not elements, which it would refuse.
 */

import { cpp } from "@codemirror/lang-cpp";
import { defaultHighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";
import { useEffect, useRef } from "preact/hooks";

export interface DiffProps {
  left: string;
  right: string;
  leftName: string;
  rightName: string;
}

const narrow = 700; // px

function extensions(name: string) {
  return [
    lineNumbers(), cpp(), syntaxHighlighting(defaultHighlightStyle),
    EditorState.readOnly.of(true), EditorView.contentAttributes.of({ "aria-label": name }),
    EditorView.theme({ "&": { fontSize: "0.8125rem" }, ".cm-scroller": { fontFamily: "ui-monospace, monospace" } }),
  ];
}

export function Diff({ left, right, leftName, rightName }: DiffProps) {
  const host = useRef<HTMLDivElement>(null);
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
          extensions: [...extensions(`${rightName}, against ${leftName}`), unifiedMergeView({ original: left, mergeControls: false, collapseUnchanged: {} })],
        }),
      });
      return () => view.destroy();
    }
    const view = new MergeView({
      root, parent, gutter: true, collapseUnchanged: {},
      a: { doc: left, extensions: extensions(leftName) },
      b: { doc: right, extensions: extensions(rightName) },
    });
    return () => view.destroy();
  }, [left, right, leftName, rightName]);
  return <div class="diff" ref={host} />;
}
