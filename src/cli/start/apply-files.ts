import { readFileSync } from "node:fs";
import type { NodeClassRef } from "../../core/model/node-pool.ts";
import type { EmbeddedCluster } from "../../embedded/cluster.ts";
import { loadManifests } from "../../embedded/manifests.ts";
import { CliError } from "../cli-error.ts";

const ours = { group: "karpenter.kwok.sh", kind: "KWOKNodeClass" };

/** Brings the objects of these files into the cluster; says everything that is wrong with them at once. */
export function applyFiles(cluster: EmbeddedCluster, paths: readonly string[]): void {
  const problems = paths.flatMap((path) => {
    const { problems } = loadManifests(cluster, readText(path));
    return problems.map(inWords).map((problem) => `${path}: ${problem}${adviceFor(problem)}`);
  });
  problems.push(...foreignPools(cluster));
  if (problems.length > 0) throw new CliError(`Cannot use the manifests:\n  ${problems.join("\n  ")}`);
}

export function hasPools({ api }: EmbeddedCluster): boolean {
  return pools(api).length > 0;
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new CliError(`Cannot read ${path}: ${(error as Error).message}`);
  }
}

/** What serves an object without an apiVersion is not the question. */
function inWords(problem: string): string {
  return problem.replace(/( undefined)?: no resource serves \S+ of undefined$/, ": the object has no apiVersion");
}

function adviceFor(problem: string): string {
  if (/no resource serves \w*NodeClass /.test(problem)) {
    return `. Machines are simulated here: leave it out, and let pools refer to the ${ours.kind} "default"`;
  }
  if (/no resource serves (Provisioner|AWSNodeTemplate) /.test(problem)) {
    return `. It is carried out with machines of AWS only: "karpenter convert" makes a NodePool of it`;
  }
  if (/no resource serves /.test(problem)) return ". Put its CustomResourceDefinition before it";
  if (/namespaces? .*not found/i.test(problem)) return ". Put its Namespace before it";
  return "";
}

/** Pools of clouds that are not there would wait for ever. */
function foreignPools({ api }: EmbeddedCluster): readonly string[] {
  return pools(api).flatMap(({ metadata, spec }) => {
    const { group, kind, name } = spec.template.spec.nodeClassRef;
    return group === ours.group && kind === ours.kind
      ? []
      : [
          `NodePool ${metadata.name} refers to the ${kind} "${name}" of ${group}, and machines are simulated here. ` +
            `Say nodeClassRef: {group: ${ours.group}, kind: ${ours.kind}, name: default}`,
        ];
  });
}

interface WirePool {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly template: { readonly spec: { readonly nodeClassRef: NodeClassRef } } };
}

function pools(api: EmbeddedCluster["api"]): readonly WirePool[] {
  const definition = api.registry.ofKind("karpenter.sh/v1", "NodePool");
  return definition === undefined ? [] : ([...api.collection(definition).list()] as unknown[] as WirePool[]);
}
