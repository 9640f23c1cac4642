import type { Clock } from "../../../ports/clock.ts";
import type { StatusImage } from "../node-class/ec2-node-class.ts";

const lastsMilliseconds = 60 * 24 * 3_600_000;
const most = 20_000;

/** What nodes turned out to have, by the images that they may have been made of: another image may leave more or less. */
export class DiscoveredMemory {
  readonly #clock: Clock;
  readonly #found = new Map<string, { readonly bytes: number; readonly until: number }>();
  #version = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get version(): number {
    return this.#version;
  }

  /** The least that any node had. */
  get(images: readonly StatusImage[], instanceType: string): number | undefined {
    if (this.#found.size === 0) return undefined;
    const found = this.#found.get(keyOf(images, instanceType));
    return found !== undefined && found.until > this.#clock.now() ? found.bytes : undefined;
  }

  /** Says whether anything is different now. */
  learn(images: readonly StatusImage[], instanceType: string, bytes: number): boolean {
    const known = this.get(images, instanceType);
    if (known !== undefined && bytes > known) return false;
    const key = keyOf(images, instanceType);
    // The one that was confirmed longest ago is the first.
    this.#found.delete(key);
    this.#found.set(key, { bytes, until: this.#clock.now() + lastsMilliseconds });
    const oldest = this.#found.keys().next().value;
    if (this.#found.size > most && oldest !== undefined) this.#found.delete(oldest);
    if (bytes === known) return false;
    this.#version++;
    return true;
  }

  forgetExpired(): void {
    for (const [key, { until }] of this.#found) {
      if (until > this.#clock.now()) break;
      this.#found.delete(key);
      this.#version++;
    }
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
