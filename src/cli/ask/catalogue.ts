import { awsWellKnownLabels } from "../../adapters/aws/aws-labels.ts";
import { wellKnownLabelsOf } from "../../adapters/kwok/kwok-provider.ts";
import { loadInstanceTypes } from "../../adapters/kwok/load-instance-types.ts";
import { kwokNodeClasses } from "../../adapters/kwok/node-class.ts";
import { ec2NodeClasses } from "../../core/api/karpenter-resources.ts";
import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import type { InstanceType } from "../../core/model/instance-type.ts";
import { instanceTypeLabel } from "../../core/model/labels.ts";
import type { NodeClassRef } from "../../core/model/node-pool.ts";
import { findInstanceType } from "../../core/model/node-price.ts";
import { CliError } from "../cli-error.ts";
import { Ec2Machines, type Ec2MachinesOptions } from "./ec2-machines.ts";
import { asEc2Types } from "./ec2-types.ts";

/** What can be bought in a cluster, as far as is known here. */
export interface Catalogue {
  /** Where what was asked for comes from, for people. */
  readonly notes: readonly string[];
  readonly wellKnownLabels: ReadonlySet<string>;
  /** Undefined where only its cloud knows. */
  of(nodeClass: NodeClassRef): readonly InstanceType[] | undefined;
  /** Whether prices are not those that will be paid. */
  isRough(nodeClass: NodeClassRef): boolean;
}

export interface CatalogueQuestion extends Ec2MachinesOptions {
  /** As given on the command line: `aws`, `generic` or a file. */
  readonly wanted: string | undefined;
}

/**
 * The catalogue that was asked for; else, for simulated machines, the built-in one that the cluster's nodes are of. For
 * EC2, the list of its machines that is built in, unless another was asked for.
 */
export function openCatalogue({ wanted, ...options }: CatalogueQuestion): Catalogue {
  const { cluster } = options;
  const { instanceTypes, source } = chooseCatalogue(wanted, cluster);
  const isOfEc2 = wanted === undefined || wanted === "aws";
  const machines = new Ec2Machines(options);
  const own = new Map<string, readonly InstanceType[]>();
  const notes = new Set<string>();
  const tell = (types: readonly InstanceType[]): readonly InstanceType[] => {
    notes.add(`Instance types are those of ${source}.`);
    return types;
  };
  return {
    get notes() {
      return [...notes, ...machines.notes];
    },
    wellKnownLabels: new Set([...wellKnownLabelsOf(instanceTypes), ...awsWellKnownLabels]),
    of: (nodeClass) => {
      const { group, name } = nodeClass;
      if (group === kwokNodeClasses.group) return tell(instanceTypes);
      if (group === ec2NodeClasses.group && isOfEc2) return machines.of(nodeClass);
      if (wanted === undefined) return undefined;
      if (group !== ec2NodeClasses.group) return tell(instanceTypes);
      const known = own.get(name) ?? asEc2Types(instanceTypes, zonesOf(cluster, nodeClass));
      own.set(name, known);
      return tell(known);
    },
    isRough: ({ group }) => group === ec2NodeClasses.group && isOfEc2 && machines.isRough,
  };
}

function chooseCatalogue(
  wanted: string | undefined,
  cluster: ClusterState,
): { readonly instanceTypes: readonly InstanceType[]; readonly source: string } {
  if (wanted !== undefined) {
    const isBuiltIn = wanted === "aws" || wanted === "generic";
    const source = isBuiltIn ? `the built-in catalogue ${wanted}` : wanted;
    return { instanceTypes: loadCatalogue(wanted), source: `${source}, as asked for` };
  }
  for (const name of ["aws", "generic"] as const) {
    const instanceTypes = loadCatalogue(name);
    if (!sellsOneOf(instanceTypes, cluster)) continue;
    return { instanceTypes, source: `the built-in catalogue ${name}, which the nodes of this cluster are of` };
  }
  const source = "the built-in catalogue generic, which the controller takes unless told otherwise (no node tells)";
  return { instanceTypes: loadCatalogue("generic"), source };
}

/** By the name of a built-in one, or the path of one's own. */
export function loadCatalogue(wanted: string): readonly InstanceType[] {
  try {
    return wanted === "aws" || wanted === "generic"
      ? loadInstanceTypes({ builtIn: wanted })
      : loadInstanceTypes({ file: wanted, builtIn: "aws" });
  } catch (error) {
    throw new CliError((error as Error).message);
  }
}

/** Whether any machine of Karpenter's in the cluster is of the catalogue. */
function sellsOneOf(types: readonly InstanceType[], { nodes, claims }: ClusterState): boolean {
  return [...claims.values(), ...nodes.values()].some(
    ({ labels }) => findInstanceType(types, labels.get(instanceTypeLabel) ?? "") !== undefined,
  );
}

/** Where the subnets are that were found for the node class. */
function zonesOf(cluster: ClusterState, ref: NodeClassRef): readonly string[] {
  const wire = cluster.nodeClassOf(ref)?.wire as { status?: { subnets?: readonly { zone?: unknown }[] } } | undefined;
  const subnets = Array.isArray(wire?.status?.subnets) ? wire.status.subnets : [];
  return [...new Set(subnets.flatMap(({ zone }) => (typeof zone === "string" ? [zone] : [])))].sort();
}
