// Writes docs/reference/events.md: which Events the controller publishes, as found in the source.
import { compareWithSource, readSources, type SourceFile, tableOf, wordsIn } from "./document-source.ts";

interface EventWords {
  readonly on: string;
  readonly type: "Normal" | "Warning" | "Normal or Warning";
  readonly when: string;
}

const words: Readonly<Record<string, EventWords>> = {
  AwaitingDeletion: {
    on: "Provisioner",
    type: "Warning",
    when: "What was made of it is being deleted, and is made anew after that: delete the Provisioner instead.",
  },
  MadeAnew: {
    on: "Provisioner, NodePool",
    type: "Warning",
    when: "Somebody deleted what was made of a Provisioner, and it is there again: delete the Provisioner instead.",
  },
  Converted: { on: "Provisioner", type: "Normal", when: "A NodePool and a node class do what it says; names them." },
  Invalid: { on: "Provisioner", type: "Warning", when: "It cannot be carried out; every mistake with its field." },
  NameTaken: {
    on: "Provisioner",
    type: "Warning",
    when: "A NodePool or node class of its name is there already, and is not made of it.",
  },
  Refused: { on: "Provisioner", type: "Warning", when: "The API server does not take what was made of it; says why." },
  AwaitingReplacement: {
    on: "Pod",
    type: "Normal",
    when: "It stays on a node that goes until the rollout of its owner has replaced it (surge).",
  },
  AwaitingVolumeDetachment: {
    on: "Node",
    type: "Normal",
    when: "It is drained, and volumes are still attached to it.",
  },
  CapacityReservationInstanceInterrupted: {
    on: "NodeClaim, Node",
    type: "Warning",
    when: "AWS takes back the capacity reservation that the machine is in.",
  },
  ConsolidationApproved: {
    on: "NodeClaim, Node or NodePool",
    type: "Normal",
    when: "Under `Balanced`: a move was found worth what it disturbs; the score, the threshold, the saving.",
  },
  ConsolidationCandidate: {
    on: "NodeClaim, Node",
    type: "Normal",
    when: "It is about to go for the sake of price, if that is still worth it in a moment.",
  },
  ConsolidationRejected: {
    on: "NodeClaim, Node",
    type: "Normal",
    when: "A move was planned, and was not worth it or not possible any more when it was looked at again.",
  },
  DisruptionBlocked: {
    on: "NodeClaim, Node, NodePool",
    type: "Normal",
    when: "A node cannot go by choice; names what keeps it: a pod, a budget, an annotation.",
  },
  DisruptionFailed: { on: "NodeClaim, Node", type: "Warning", when: "What was begun is taken back; says why." },
  DisruptionLaunching: {
    on: "NodeClaim",
    type: "Normal",
    when: "It was bought in place of nodes that go, and is on its way.",
  },
  DisruptionStopped: {
    on: "NodePool",
    type: "Warning",
    when: "Too many pods were moved lately: no more nodes go for the sake of price for a while.",
  },
  DisruptionTerminating: { on: "NodeClaim, Node", type: "Normal", when: "It goes by a decision; names the reason." },
  DisruptionWaitingReadiness: {
    on: "NodeClaim",
    type: "Normal",
    when: "What it replaces stays until it is initialized.",
  },
  Disrupted: {
    on: "Pod",
    type: "Normal",
    when: "It is deleted, not evicted, because the time of its node is up; says how long it has to end.",
  },
  DoNotDisruptGracePeriodElapsed: {
    on: "Pod",
    type: "Normal",
    when: "The time for which `karpenter.sh/do-not-disrupt` protected it is over.",
  },
  DoNotDisruptUntil: { on: "Pod", type: "Normal", when: "`karpenter.sh/do-not-disrupt` protects it until a time." },
  Evicted: { on: "Pod", type: "Normal", when: "It is evicted because its node goes; names why." },
  FailedConsistencyCheck: {
    on: "NodeClaim",
    type: "Warning",
    when: "Its node is less than was promised; says what it lacks.",
  },
  FailedDraining: { on: "Node", type: "Warning", when: "Pods do not go; names them and what keeps each." },
  FailedScheduling: {
    on: "Pod",
    type: "Warning",
    when: "No pool has a machine for it; says what each refused it for, and the nearest miss.",
  },
  Finalized: {
    on: "NodeClaim, NodePool, node classes",
    type: "Normal",
    when: "The object is gone; names its finalizer.",
  },
  InstanceStopping: { on: "NodeClaim, Node", type: "Warning", when: "EC2 says that the machine is stopping." },
  InstanceTerminating: { on: "NodeClaim, Node", type: "Warning", when: "EC2 says that the machine is terminating." },
  InstanceUnhealthy: {
    on: "NodeClaim, Node",
    type: "Warning",
    when: "The machine fails its status checks, or AWS has scheduled a change of it.",
  },
  InsufficientCapacityError: {
    on: "NodeClaim",
    type: "Warning",
    when: "The cloud has no machine that the claim allows; the claim goes, and its pods are planned anew.",
  },
  InvalidDoNotDisruptAnnotation: {
    on: "Pod",
    type: "Warning",
    when: "The annotation is neither `true` nor a duration, and protects nothing.",
  },
  NoCompatibleInstanceTypes: {
    on: "NodePool",
    type: "Warning",
    when: "No instance type meets the requirements of the pool.",
  },
  NodeClassNotReady: { on: "NodeClaim", type: "Warning", when: "Its node class is not ready; the claim goes." },
  NodePoolValidationFailed: {
    on: "NodePool",
    type: "Warning",
    when: "The pool cannot be followed; every mistake with its fix.",
  },
  NodePoolValidationWarning: {
    on: "NodePool",
    type: "Warning",
    when: "The pool works, and something in it is rarely meant, such as no limits.",
  },
  NodeUnsuitable: {
    on: "NodeClaim",
    type: "Warning",
    when: "Its node cannot take the pods that it was launched for: nodes get a taint that the NodePool does not have, or have less than the instance type promises. After 5, 10, 20, then 30 minutes, one node is launched to see whether the taint is still given; a workload whose pods do not fit gets no other node before.",
  },
  NodeRepairBlocked: {
    on: "Node, NodeClaim, NodePool",
    type: "Warning",
    when: "So many nodes are unhealthy that none is repaired.",
  },
  Nominated: { on: "Pod", type: "Normal", when: "The node or claim that it should go to." },
  SpotInterrupted: {
    on: "NodeClaim, Node",
    type: "Warning",
    when: "AWS takes the spot machine back within two minutes; the claim goes.",
  },
  SpotRebalanceRecommendation: {
    on: "NodeClaim, Node",
    type: "Normal",
    when: "AWS says that the spot machine is more likely to be interrupted; nothing is done about it.",
  },
  SpotSLRCreationFailed: {
    on: "NodeClaim, NodePool",
    type: "Warning",
    when: "The account lacks the service-linked role for spot machines; says how to create it.",
  },
  SurgeImpossible: { on: "Pod", type: "Warning", when: "It asks for `surge`, and is evicted as without; says why." },
  SurgeRestarted: {
    on: "Deployment, StatefulSet",
    type: "Normal",
    when: "Restarted, so that pods on nodes that go are replaced first.",
  },
  TerminatingOnInterruption: {
    on: "NodeClaim, Node",
    type: "Warning",
    when: "The claim is deleted because its machine is interrupted.",
  },
  TerminationGracePeriodExpiring: {
    on: "NodeClaim, Node",
    type: "Warning",
    when: "By when the node is gone, whatever its pods say.",
  },
  Unconsolidatable: {
    on: "NodeClaim, Node",
    type: "Normal",
    when: "Why it stays although its fleet was looked at for a cheaper one.",
  },
  UnregisteredTaintMissing: {
    on: "NodeClaim",
    type: "Warning",
    when: "Its node joined without the taint `karpenter.sh/unregistered`: pods may have come too early.",
  },
  WaitingOnNodeClaimTermination: {
    on: "EC2NodeClass",
    type: "Normal",
    when: "It is deleted, and claims still refer to it; names them.",
  },
  ZonalShiftActive: {
    on: "NodePool",
    type: "Warning",
    when: "Traffic is shifted away from a zone: nothing is launched there.",
  },
  ZonalShiftCleared: { on: "NodePool", type: "Normal", when: "That is over." },
};

/** Where a reason is handed on before it is published, and where it is said. */
const handedOn: Readonly<Record<string, { readonly said: string; readonly pattern: RegExp }>> = {
  "controllers/reporter/condition-reporter.ts": {
    said: "controllers/reporter/condition-reporter.ts",
    pattern: /#say\(\w+, "(\w+)"/g,
  },
  "controllers/disruptor/look-reporter.ts": {
    said: "controllers/disruptor/look-reporter.ts",
    pattern: /#tell\(\w+, "(\w+)"/g,
  },
  "controllers/disruptor/command-reporter.ts": {
    said: "controllers/disruptor/command-reporter.ts",
    pattern: /const say = \{[^}]*\breason: "(\w+)"/g,
  },
  "adapters/aws/launch/machine-buyer.ts": {
    said: "adapters/aws/launch/machine-buyer.ts",
    pattern: /const spotRoleReason = "(\w+)"/g,
  },
  "controllers/translator/translator.ts": {
    said: "core/api/legacy/tell-outcome.ts",
    pattern: /\bsay\(\s*"\w+",\s*"(\w+)"/g,
  },
  "controllers/launcher/launcher.ts": { said: "controllers/launcher/launcher.ts", pattern: /eventReason: "(\w+)"/g },
  "adapters/aws/interruption/interruption-actor.ts": {
    said: "adapters/aws/interruption/judge-interruption.ts",
    pattern: /\bwarning\(\s*"(\w+)"|\breason: "(\w+)"/g,
  },
};

/** Every reason that is published. Throws where it cannot tell what is. */
function findReasons(sources: readonly SourceFile[]): string[] {
  const found = sources.flatMap(({ name, text }) =>
    [...text.matchAll(/events\.publish\(/g)].flatMap((match) => {
      const published = argumentsFrom(text, match.index + match[0].length);
      const literals = wordsIn(published, /\breason: (?:\w+ \? )?"(\w+)"(?: : "(\w+)")?/g);
      if (literals.length > 0) return literals;
      const way = handedOn[name];
      const saying = sources.find((file) => file.name === way?.said);
      if (way === undefined || saying === undefined)
        throw new Error(`${name} publishes an event whose reason is said elsewhere: add it to handedOn`);
      return wordsIn(saying.text, way.pattern);
    }),
  );
  // The actor's own are literals in a call of its own.
  const own = sources.filter(({ name }) => name.endsWith("interruption-actor.ts"));
  return [...found, ...own.flatMap(({ text }) => wordsIn(text, /#announce\(claim, \{[^}]*?\breason: "(\w+)"/g))];
}

function argumentsFrom(text: string, start: number): string {
  let depth = 1;
  let end = start;
  while (depth > 0 && end < text.length) {
    if (text[end] === "(") depth++;
    if (text[end] === ")") depth--;
    end++;
  }
  return text.slice(start, end);
}

const introduction = `# Events

Made by \`npx node scripts/document-reference.ts\`; a test fails when the source says otherwise.

Published beside the objects, by the component \`karpenter\`: \`kubectl describe\` shows them, and so does \`kubectl get events --all-namespaces --field-selector reportingComponent=karpenter\`. The same is not said twice within two minutes, or longer for some.

Besides these, every change of a [condition](conditions.md) is an event whose reason is the type of the condition, unless \`--disable-cluster-state-observability\` is set.

`;

export function documentEvents(): string {
  compareWithSource(
    "Event",
    Object.keys(words),
    findReasons(readSources(["controllers", "adapters", "operator", "core/api/legacy"])),
  );
  const rows = Object.entries(words)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([reason, { on, type, when }]) => [`\`${reason}\``, type, on, when]);
  return `${introduction}${tableOf(["reason", "type", "on", "when"], rows)}\n`;
}
