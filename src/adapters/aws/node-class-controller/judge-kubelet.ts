import type { Catalogue } from "../aws-parts.ts";
import type { AwsSettings } from "../aws-settings.ts";
import type { Ec2NodeClass } from "../node-class/ec2-node-class.ts";

/** What is wrong with the kubelet's settings, as a condition tells it. */
export interface KubeletProblem {
  readonly reason: string;
  readonly message: string;
}

export function judgeKubelet(
  _nodeClass: Ec2NodeClass,
  _settings: Pick<AwsSettings, "isNodeClassCelEnabled">,
): KubeletProblem | undefined {
  return undefined;
}

export function judgeExpressions(
  _nodeClass: Ec2NodeClass,
  _catalogue: Pick<Catalogue, "list" | "facts">,
): KubeletProblem | "unknown" | undefined {
  return undefined;
}
