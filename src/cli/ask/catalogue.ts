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
import { asEc2Types } from "./ec2-types.ts";

/** What can be bought in a cluster, as far as is known here. */
export interface Catalogue {
  /** Where it comes from, for people. */
  readonly source: string;
  readonly wellKnownLabels: ReadonlySet<string>;
  /** For prices: all that was given or is certain to be what the cluster buys from. */
  readonly instanceTypes: readonly InstanceType[];
  /** Undefined where only its cloud knows. */
  of(nodeClass: NodeClassRef): readonly InstanceType[] | undefined;
}

/** The catalogue that was asked for; else, for simulated machines, the built-in one that the cluster's nodes are of. */
export function openCatalogue(wanted: string | undefined, cluster: ClusterState): Catalogue {
  if (wanted !== undefined) {
    const instanceTypes = loadCatalogue(wanted);
    const isBuiltIn = wanted === "aws" || wanted === "generic";
    const source = isBuiltIn ? `the built-in catalogue ${wanted}` : wanted;
    return catalogueOf({ source: `${source}, as asked for`, instanceTypes, cluster, isForAll: true });
  }
  const found = (["aws", "generic"] as const).find((name) => sellsOneOf(loadCatalogue(name), cluster));
  const instanceTypes = loadCatalogue(found ?? "generic");
  const source =
    found === undefined
      ? "the built-in catalogue generic, which the controller takes unless told otherwise (no node tells)"
      : `the built-in catalogue ${found}, which the nodes of this cluster are of`;
  return catalogueOf({ source, instanceTypes, cluster, isForAll: false });
}

interface CatalogueParts {
  readonly source: string;
  readonly instanceTypes: readonly InstanceType[];
  readonly cluster: ClusterState;
  /** Also for pools whose machines are not simulated. */
  readonly isForAll: boolean;
}

function catalogueOf({ source, instanceTypes, cluster, isForAll }: CatalogueParts): Catalogue {
  const ec2Types = new Map<string, readonly InstanceType[]>();
  return {
    source,
    wellKnownLabels: new Set([...wellKnownLabelsOf(instanceTypes), ...awsWellKnownLabels]),
    instanceTypes: isForAll ? instanceTypes : [],
    of: (nodeClass) => {
      const { group, name } = nodeClass;
      if (group === kwokNodeClasses.group) return instanceTypes;
      if (!isForAll) return undefined;
      if (group !== ec2NodeClasses.group) return instanceTypes;
      const known = ec2Types.get(name) ?? asEc2Types(instanceTypes, zonesOf(cluster, nodeClass));
      ec2Types.set(name, known);
      return known;
    },
  };
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
