// Writes docs/reference/conditions.md: which conditions the controller sets, as found in the source.
import { poolDependents } from "../src/core/lifecycle/judge-pool.ts";
import { readyCondition } from "../src/core/model/condition.ts";
import { claimReadiness } from "../src/core/model/node-claim.ts";
import { compareWithSource, readSources, tableOf, wordsIn } from "./document-source.ts";

type Words = Readonly<Record<string, string>>;

const kinds: Readonly<Record<string, { readonly introduction: string; readonly words: Words }>> = {
  NodePool: {
    introduction: `\`Ready\` is made of ${listed(poolDependents)}: True when all of them are, for the generation that the pool has.`,
    words: {
      ValidationSucceeded:
        "What the pool says can be followed. False with every mistake and its fix, reason `NodePoolValidationFailed`; True with a message where a disruption budget is malformed.",
      NodeClassReady:
        "Its node class is there and ready. False with the reason of the node class, or `NodeClassNotFound`, `NodeClassTerminating`, `NodeClassReadinessUnknown`.",
      NodeRegistrationHealthy:
        "The latest machines of the pool became nodes. False when two of the last four did not; Unknown until the first has. Pods are planned all the same.",
      DisruptionPaused: "There while the annotation `karpenter.sh/paused` keeps its nodes from going by choice.",
      Ready: "Nodes can be bought.",
    },
  },
  NodeClaim: {
    introduction: `\`Ready\` is made of ${listed(claimReadiness)}. The others are there when there is something to say.`,
    words: {
      Launched: "The cloud has a machine for it. Unknown with the reason while it has not.",
      Registered:
        "Its node has joined and carries what the claim asks for. Unknown (`NodeNotFound`) until then, False (`MultipleNodesFound`) where more than one node claims to be it.",
      Initialized:
        "The node is ready, its startup taints are gone, and the resources that pods asked for are there. Unknown with what it lacks: `NodeNotReady`, `StartupTaintsExist`, `KnownEphemeralTaintsExist`, `ResourceNotRegistered`.",
      Ready: "Pods can count on the node.",
      ConsistentStateFound: "The node is what was promised. False (`ConsistencyCheckFailed`) where it is less.",
      Consolidatable: "No pod has come or gone for `consolidateAfter`.",
      Drifted:
        "It is not what its pool or node class asks for any more; the reason says in what: `NodePoolDrifted`, `RequirementsDrifted`, `SoftExpired`, `InstanceTypeNotFound`, or of AWS `NodeClassDrift`, `AMIDrift`, `SubnetDrift`, `SecurityGroupDrift`, `CapacityReservationDrift`, `PlacementGroupDrift`.",
      DisruptionReason: "It goes by a decision; the reason is `Empty`, `Drifted` or `Underutilized`.",
      Drained: "Its pods are gone. Unknown (`Draining`) while they go.",
      VolumesDetached: "Its volumes are detached, so that pods elsewhere can have them.",
      InstanceTerminating: "The cloud was told to end the machine.",
    },
  },
  EC2NodeClass: {
    introduction: "`Ready` is made of all the others but `InterruptionQueueReady`.",
    words: {
      AMIsReady: "Images match `amiSelectorTerms`.",
      SubnetsReady: "Subnets match `subnetSelectorTerms`; else `SubnetsNotFound`.",
      SecurityGroupsReady: "Security groups match `securityGroupSelectorTerms`; else `SecurityGroupsNotFound`.",
      InstanceProfileReady: "The instance profile is there, or was made for `role`; else `RoleNotFound`.",
      CapacityReservationsReady: "Capacity reservations were looked for.",
      PlacementGroupReady: "The placement group is there, if one is asked for; else `PlacementGroupNotFound`.",
      ValidationSucceeded:
        "A rehearsal of a launch went well. `DependenciesNotReady` until the others are True; `TagValidationFailed`, `InvalidNodeClass`, `UserDataSizeLimitExceeded`, or the AWS action that is refused.",
      InterruptionQueueReady:
        "The queue of the setting `INTERRUPTION_QUEUE` is followed; else `QueueNotFound`, or the AWS action that is refused. Absent without that setting.",
      Ready: "Machines can be launched.",
    },
  },
  KWOKNodeClass: {
    introduction: "",
    words: { Ready: "True, for ever: nothing is needed to launch what does not exist." },
  },
  Provisioner: {
    introduction: "Of both kinds of it; `Ready` is made of `Converted` and `NodePoolReady`.",
    words: {
      Converted: "A NodePool and a node class do what it says. False with `Invalid`, `NameTaken` or `Refused`.",
      FieldsDropped:
        "True (`NoEquivalent`) where something in it means nothing any more; the message names it, and what changed meaning.",
      NodePoolReady: "What its NodePool says of itself.",
      Ready: "Nodes can be bought for it.",
    },
  },
  AWSNodeTemplate: {
    introduction: "",
    words: {
      Converted: "The node classes of the Provisioners that refer to it say the same; `Unused` where there is none.",
      FieldsDropped: "As for a Provisioner.",
      Ready: "As `Converted`.",
    },
  },
  NodeOverlay: { introduction: "", words: { Ready: "False, `NotSupportedYet`." } },
  CapacityBuffer: {
    introduction: "",
    words: { ReadyForProvisioning: "False, `NotSupportedYet`.", Provisioning: "False, `NotSupportedYet`." },
  },
};

function listed(types: readonly string[]): string {
  return types.map((type) => `\`${type}\``).join(", ");
}

function findTypes(): readonly string[] {
  const sources = readSources([
    "controllers",
    "core/lifecycle",
    "core/termination",
    "core/api",
    "adapters/aws/node-class-controller",
  ]);
  const found = sources
    .filter(({ name }) => !name.includes("definitions"))
    .flatMap(({ text }) => [
      ...wordsIn(text, /\btype: "([A-Z]\w+)",\s*status\b/g),
      ...wordsIn(text, /\bconst (?:\w+C|c)ondition = "([A-Z]\w+)"/g),
      ...wordsIn(text, /\bconst type = "([A-Z]\w+)"/g),
      ...wordsIn(text, /\btypes: \["(\w+)"(?:, "(\w+)")?\]/g),
    ]);
  return [...found, ...poolDependents, ...claimReadiness, readyCondition];
}

const introduction = `# Conditions

Made by \`npx node scripts/document-reference.ts\`; a test fails when the source says otherwise.

In \`status.conditions\` of each object. \`Unknown\` with the reason \`AwaitingReconciliation\` means that nobody has looked yet; \`AWSUnavailable\`, that AWS could not be asked.
`;

export function documentConditions(): string {
  compareWithSource(
    "Condition",
    Object.values(kinds).flatMap(({ words }) => Object.keys(words)),
    findTypes(),
  );
  const parts = Object.entries(kinds).map(([kind, { introduction: about, words }]) => {
    const rows = Object.entries(words).map(([type, meaning]) => [`\`${type}\``, meaning]);
    return [`## ${kind}`, about, tableOf(["type", "True when"], rows)].filter((part) => part !== "").join("\n\n");
  });
  return `${introduction}\n${parts.join("\n\n")}\n`;
}
