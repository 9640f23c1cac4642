import type { Labels } from "../../../core/model/labels.ts";
import { claimListTagPrefix, nodeClaimTag } from "../names.ts";
import { mostTags } from "../node-class/tags.ts";

const longestTag = 256;
/** Its name and its claim, which are written on it once its node has joined. */
const laterTags = 2;
const usualLists = 8;

/** Splits claims into lots whose names fit into the tags of their machines, beside as many others. */
export function cutIntoLots<T extends { readonly claimName: string }>(
  items: readonly T[],
  otherTags: number,
): readonly (readonly T[])[] {
  const mostLists = Math.min(usualLists, mostTags - laterTags - otherTags);
  // One claim is named by the tag that its machine gets anyway.
  if (mostLists < 1) return items.map((item) => [item]);
  const lots: T[][] = [];
  let lists = mostLists;
  let length = longestTag;
  for (const item of items) {
    const needed = item.claimName.length;
    const lot = lots.at(-1);
    if (lot !== undefined && length + 1 + needed <= longestTag) {
      lot.push(item);
      length += 1 + needed;
    } else if (lot !== undefined && lists < mostLists) {
      lot.push(item);
      lists++;
      length = needed;
    } else {
      lots.push([item]);
      lists = 1;
      length = needed;
    }
  }
  return lots;
}

/** What ties machines to the claims of their lot from the moment they exist. */
export function writeClaimTags(claimNames: readonly string[]): Labels {
  const [first = "", ...others] = claimNames;
  if (others.length === 0) return new Map([[nodeClaimTag, first]]);
  const lists: string[] = [];
  for (const name of claimNames) {
    const last = lists.at(-1);
    if (last !== undefined && last.length + 1 + name.length <= longestTag) lists[lists.length - 1] = `${last} ${name}`;
    else lists.push(name);
  }
  return new Map(lists.map((list, index) => [`${claimListTagPrefix}${index}`, list]));
}

/** The claims that a machine may be for. Once it is known which, its tags name that one only. */
export function readClaimTags(tags: Labels): readonly string[] {
  const known = tags.get(nodeClaimTag) ?? "";
  if (known !== "") return [known];
  const names: string[] = [];
  for (let index = 0; index < usualLists; index++) {
    const list = tags.get(`${claimListTagPrefix}${index}`);
    if (list !== undefined) names.push(...list.split(" ").filter((name) => name !== ""));
  }
  return names;
}
