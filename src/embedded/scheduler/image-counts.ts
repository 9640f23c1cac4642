import type { Node } from "kubernetes-types/core/v1.js";

interface Image {
  /** As the first node to report it says. */
  readonly size: number;
  nodes: number;
}

/** How large images are, and how many nodes have each. */
export class ImageCounts {
  readonly #images = new Map<string, Image>();

  change(before: Node | undefined, after: Node | undefined): void {
    for (const [name] of imagesOf(before)) {
      const image = this.#images.get(name);
      if (image === undefined) continue;
      image.nodes--;
      if (image.nodes === 0) this.#images.delete(name);
    }
    for (const [name, size] of imagesOf(after)) {
      const image = this.#images.get(name) ?? { size, nodes: 0 };
      image.nodes++;
      this.#images.set(name, image);
    }
  }

  get(name: string): Readonly<Image> | undefined {
    return this.#images.get(name);
  }
}

/** Sizes by name. */
export function imagesOf(node: Node | undefined): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const { names = [], sizeBytes = 0 } of node?.status?.images ?? []) {
    for (const name of names) if (!sizes.has(name)) sizes.set(name, sizeBytes);
  }
  return sizes;
}
