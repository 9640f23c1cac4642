import { parseAllDocuments, stringify } from "yaml";

/** The shortest and the longest time that a slow node is NotReady after it has joined. */
export const nodeReadySeconds = [2, 30] as const;

export interface NodeReadiness {
  /** A node becomes Ready 2 to 30 s after it has joined. Otherwise kwok makes it Ready at once. */
  readonly isSlow: boolean;
}

interface Stage {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: { readonly next: { readonly statusTemplate: string } };
}

const ready = '.status.conditions.[] | select( .type == "Ready" ) | .status';
const nodes = { apiGroup: "v1", kind: "Node" };

/**
 * The Go controller's KWOK provider creates nodes without conditions, and kube-controller-manager removes the not-ready
 * taint from those. So kwok reports NotReady first, and pods of either controller wait until the node is Ready.
 */
const joins = {
  apiVersion: "kwok.x-k8s.io/v1alpha1",
  kind: "Stage",
  metadata: { name: "node-joins" },
  spec: {
    resourceRef: nodes,
    selector: { matchExpressions: [{ key: ready, operator: "DoesNotExist" }] },
    next: {
      statusTemplate: `{{ $now := Now | Quote }}
conditions:
- {type: Ready, status: "False", reason: KubeletNotReady, message: container runtime network not ready, lastHeartbeatTime: {{ $now }}, lastTransitionTime: {{ $now }}}
`,
    },
  },
};

/**
 * kwok draws a `jitterDuration` again whenever the node changes. A controller that writes its nodes more often would wait
 * longer for them, so the seconds come from the uid of the node. A creationTimestamp is up to a second too early, so the
 * least is a second more.
 */
function slowDelay(): object {
  const [shortest, longest] = nodeReadySeconds;
  const least = shortest + 1;
  const seconds = `${least} + (.uid | explode | add) % ${longest - least + 1}`;
  const readyAt = `.metadata | ((.creationTimestamp | fromdate) + ${seconds}) | todate`;
  return { durationMilliseconds: 0, durationFrom: { expressionFrom: readyAt } };
}

/** Of kwok's stages, changes the one that makes a node Ready, so that every node is NotReady before. */
export function withNotReadyNodes(stages: string, { isSlow }: NodeReadiness): string {
  const all = parseAllDocuments(stages).map((document): Stage => document.toJS());
  if (!all.some(isInitialization)) throw new Error("kwok's stages have none that is called node-initialize");
  const changed = all.map((stage) => (isInitialization(stage) ? initialization(stage, isSlow) : stage));
  return [...changed, joins].map((stage) => stringify(stage)).join("---\n");
}

function isInitialization({ metadata }: Stage): boolean {
  return metadata.name === "node-initialize";
}

function initialization(stage: Stage, isSlow: boolean): Stage {
  const { next } = stage.spec;
  // kwok says that the node has been Ready since it was created.
  const statusTemplate = next.statusTemplate.replace("or .metadata.creationTimestamp $now", "$now");
  const matchExpressions = [
    { key: ready, operator: "Exists" },
    { key: ready, operator: "NotIn", values: ["True"] },
  ];
  const spec = {
    ...stage.spec,
    selector: { matchExpressions },
    ...(isSlow ? { delay: slowDelay() } : {}),
    next: { ...next, statusTemplate },
  };
  return { ...stage, spec };
}
