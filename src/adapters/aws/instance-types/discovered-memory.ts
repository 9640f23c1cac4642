import type { Clock } from "../../../ports/clock.ts";
import { ExpiringMap } from "../expiring-map.ts";
import type { StatusImage } from "../node-class/ec2-node-class.ts";

const milliseconds = 60 * 24 * 3_600_000;
const most = 20_000;

/** What nodes turned out to have, by the images that they may have been made of: another image may leave more or less. */
export class DiscoveredMemory {
  readonly #bytes: ExpiringMap<number>;
  #version = 0;

  constructor(clock: Clock) {
    this.#bytes = new ExpiringMap({ clock, milliseconds, most });
  }

  get version(): number {
    return this.#version;
  }

  /** The least that any node had. */
  get(images: readonly StatusImage[], instanceType: string): number | undefined {
    return this.#version === 0 ? undefined : this.#bytes.get(keyOf(images, instanceType));
  }

  /** Says whether anything is different now. */
  learn(images: readonly StatusImage[], instanceType: string, bytes: number): boolean {
    const known = this.get(images, instanceType);
    if (known !== undefined && bytes > known) return false;
    // Also what was known, which is good for longer now.
    this.#bytes.set(keyOf(images, instanceType), bytes);
    if (bytes === known) return false;
    this.#version++;
    return true;
  }
}

function keyOf(images: readonly StatusImage[], instanceType: string): string {
  return `${instanceType} ${imagesKey(images)}`;
}

const keys = new WeakMap<readonly StatusImage[], string>();

function imagesKey(images: readonly StatusImage[]): string {
  const known = keys.get(images);
  if (known !== undefined) return known;
  const key = [...new Set(images.map(({ id }) => id))].sort().join(" ");
  keys.set(images, key);
  return key;
}
