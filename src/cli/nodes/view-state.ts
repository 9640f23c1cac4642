import type { Key } from "../terminal/listen-to-keys.ts";
import { type FleetNode, filterNodes, sortNodes } from "./fleet.ts";
import { type SortKey, sortKeys } from "./sort-keys.ts";

/** What whoever looks has chosen to see. */
export interface ViewState {
  readonly sort: SortKey;
  readonly isReversed: boolean;
  readonly filter: string;
  /** Signs go to the filter. */
  readonly isTyping: boolean;
  /** The first line that is shown. */
  readonly top: number;
}

export const firstView: ViewState = { sort: "pool", isReversed: false, filter: "", isTyping: false, top: 0 };

const page = 10;

/** What a key makes of the view; "quit" when it ends it. */
export function press(view: ViewState, key: Key): ViewState | "quit" {
  if (key === "interrupt") return "quit";
  if (view.isTyping) return type(view, key);
  switch (key) {
    case "q":
      return "quit";
    case "s":
    case "S":
      return { ...view, sort: neighbour(view.sort, key === "s" ? 1 : -1), top: 0 };
    case "r":
      return { ...view, isReversed: !view.isReversed, top: 0 };
    case "/":
      return { ...view, isTyping: true };
    case "escape":
      return { ...view, filter: "", top: 0 };
    case "up":
    case "k":
      return { ...view, top: Math.max(0, view.top - 1) };
    case "down":
    case "j":
      return { ...view, top: view.top + 1 };
    case "page-up":
      return { ...view, top: Math.max(0, view.top - page) };
    case "page-down":
    case " ":
      return { ...view, top: view.top + page };
    default:
      return view;
  }
}

export function arrange(nodes: readonly FleetNode[], { sort, isReversed, filter }: ViewState): readonly FleetNode[] {
  return sortNodes(filterNodes(nodes, filter), sort, isReversed);
}

function type(view: ViewState, key: Key): ViewState {
  if (key === "enter") return { ...view, isTyping: false };
  if (key === "escape") return { ...view, isTyping: false, filter: "", top: 0 };
  if (key === "backspace") return { ...view, filter: [...view.filter].slice(0, -1).join(""), top: 0 };
  return [...key].length === 1 ? { ...view, filter: view.filter + key, top: 0 } : view;
}

function neighbour(sort: SortKey, step: number): SortKey {
  return sortKeys[(sortKeys.indexOf(sort) + step + sortKeys.length) % sortKeys.length] ?? sort;
}
