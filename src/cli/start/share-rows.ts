export interface Rows {
  readonly nodes: number;
  readonly pools: number;
  readonly waiting: number;
  readonly staying: number;
  readonly tellings: number;
}

type Part = keyof Rows;

/** What each part gets before any gets more, and in which order the rest is given away. */
const least: Rows = { tellings: 4, nodes: 4, waiting: 4, pools: 4, staying: 2 };
const order: readonly Part[] = ["nodes", "waiting", "pools", "staying", "tellings"];

/** Divides the rows of a screen, nobody getting more than it can use. */
export function shareRows(rows: number, wanted: Rows): Rows {
  const share: Record<Part, number> = { nodes: 0, pools: 0, waiting: 0, staying: 0, tellings: 0 };
  let left = Math.max(0, rows);
  const give = (part: Part, most: number): void => {
    const given = Math.max(0, Math.min(left, most - share[part]));
    share[part] += given;
    left -= given;
  };
  for (const part of Object.keys(least) as Part[]) give(part, Math.min(least[part], wanted[part]));
  // Decisions are what the rest comes of, so a tall screen is not for nodes alone.
  const fair = share.tellings + Math.floor(left / 3);
  give("tellings", Math.min(fair, wanted.tellings));
  for (const part of order) give(part, wanted[part]);
  return share;
}
