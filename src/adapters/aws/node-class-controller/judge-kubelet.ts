import type { Catalogue } from "../aws-parts.ts";
import type { AwsSettings } from "../aws-settings.ts";
import { defaultMaxPodsOf } from "../instance-types/machine-resources.ts";
import { unsupportedKubeletFields } from "../kubelet/family-support.ts";
import { compileKubelet, evaluateKubelet, hasExpressions } from "../kubelet/kubelet-expressions.ts";
import { validateKubelet } from "../kubelet/validate-kubelet.ts";
import type { Ec2NodeClass } from "../node-class/ec2-node-class.ts";
import { shorten } from "./explain-failure.ts";

/** What is wrong with the kubelet's settings, as a condition tells it. */
export interface KubeletProblem {
  readonly reason: string;
  readonly message: string;
}

/** Whatever the machine. The first kind of problem is told, with all problems of that kind. */
export function judgeKubelet(
  { spec }: Pick<Ec2NodeClass, "spec">,
  { isNodeClassCelEnabled }: Pick<AwsSettings, "isNodeClassCelEnabled">,
): KubeletProblem | undefined {
  const { kubelet, amiFamily } = spec;
  if (kubelet === undefined) return undefined;
  const isForbidden = hasExpressions(kubelet) && !isNodeClassCelEnabled;
  const advice =
    "expressions in kubelet settings are switched off: write numbers and quantities, or set AWS_FEATURE_GATES to NodeClassCEL=true";
  const { problems: invalid = [] } = hasExpressions(kubelet) ? compileKubelet(kubelet) : {};
  return (
    tell("InvalidKubeletConfiguration", validateKubelet(kubelet)) ??
    tell("KubeletExpressionsDisabled", isForbidden ? [advice] : []) ??
    tell("KubeletExpressionInvalid", invalid) ??
    tell("UnsupportedKubeletConfiguration", unsupportedKubeletFields(kubelet, amiFamily))
  );
}

/** With each type of machine that the node class may get; "unknown" while nobody knows them. */
export function judgeExpressions(
  nodeClass: Ec2NodeClass,
  catalogue: Pick<Catalogue, "list" | "facts">,
  settings: Pick<AwsSettings, "reservedEnis">,
): KubeletProblem | "unknown" | undefined {
  const { kubelet } = nodeClass.spec;
  if (kubelet === undefined || !hasExpressions(kubelet)) return undefined;
  const { compiled } = { compiled: undefined, ...compileKubelet(kubelet) };
  const types = catalogue.list(nodeClass);
  if (compiled === undefined) return undefined;
  if (types.length === 0) return "unknown";
  for (const { name } of types) {
    const facts = catalogue.facts(name);
    if (facts === undefined) continue;
    const maxPods = defaultMaxPodsOf(facts, nodeClass, settings);
    const { problems } = evaluateKubelet(compiled, { facts, maxPods });
    const placed = problems.map((problem) => `on ${name}: ${problem}`);
    if (placed.length > 0) return tell("KubeletExpressionEvaluationFailed", placed);
  }
  return undefined;
}

function tell(reason: string, problems: readonly string[]): KubeletProblem | undefined {
  return problems.length === 0 ? undefined : { reason, message: shorten(problems.join("; ")) };
}
