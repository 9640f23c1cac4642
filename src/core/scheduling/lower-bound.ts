import type { World } from "./world.ts";

export function lowerBound(_world: World): number {
  return 0;
}
