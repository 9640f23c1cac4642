import type { Pod } from "kubernetes-types/core/v1.js";
import { imagesOf } from "../image-counts.ts";
import { volumesOf } from "../pod-info.ts";
import { highestScore, type NodeScorer } from "./node-score.ts";

const megabyte = 1024 * 1024;
const smallest = 23 * megabyte;
const largestPerContainer = 1000 * megabyte;

/** The more of the pod's images a node has, the better; an image that few nodes have counts for less. */
export const imageLocalityScore: NodeScorer = ({ cache, pod }, nodes) => {
  const images = imageNamesOf(pod.pod);
  const { containers = [], initContainers = [] } = pod.pod.spec ?? { containers: [] };
  const largest = largestPerContainer * (containers.length + initContainers.length);
  return nodes.map(({ node }) => {
    const present = imagesOf(node);
    let sum = 0;
    for (const name of images) {
      const image = present.has(name) ? cache.images.get(name) : undefined;
      if (image !== undefined) sum += Math.floor(image.size * (image.nodes / cache.nodes.length));
    }
    const bounded = Math.min(Math.max(sum, smallest), largest);
    return Math.floor((highestScore * (bounded - smallest)) / (largest - smallest));
  });
};

function imageNamesOf(pod: Pod): string[] {
  const containers = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
  const references = [
    ...containers.map(({ image }) => image),
    // The types are of an older Kubernetes, in which an image was no volume.
    ...volumesOf(pod).map(
      (volume) => (volume as { readonly image?: { readonly reference?: string } }).image?.reference,
    ),
  ];
  return references.filter((name) => name !== undefined).map(withTag);
}

function withTag(name: string): string {
  return name.lastIndexOf(":") <= name.lastIndexOf("/") ? `${name}:latest` : name;
}
