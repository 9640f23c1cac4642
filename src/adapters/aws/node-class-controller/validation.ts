import { createHash } from "node:crypto";
import { type ConditionChange, findCondition } from "../../../core/model/condition.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Catalogue, LaunchRehearsal } from "../aws-parts.ts";
import type { AwsSettings } from "../aws-settings.ts";
import type { ClusterFactsSource } from "../cluster-facts.ts";
import { ExpiringMap } from "../expiring-map.ts";
import { nodeClassHashAnnotation, nodeClassHashVersionAnnotation } from "../names.ts";
import { revisionOf } from "../network/revision-of.ts";
import type { Ec2NodeClass } from "../node-class/ec2-node-class.ts";
import { tagProblem } from "../node-class/tags.ts";
import { explainFailure, shorten } from "./explain-failure.ts";
import { judgeExpressions, judgeKubelet } from "./judge-kubelet.ts";
import type { StepOutcome } from "./step-outcome.ts";

export interface ValidationParts {
  readonly clusterFacts: Pick<ClusterFactsSource, "resolveServiceCidr">;
  readonly catalogue: Pick<Catalogue, "list" | "facts" | "version">;
  readonly rehearsal: LaunchRehearsal;
  readonly settings: Pick<AwsSettings, "clusterName" | "disableDryRun" | "isNodeClassCelEnabled" | "reservedEnis">;
  readonly clock: Clock;
}

export const validationCondition = "ValidationSucceeded";

/** Without these nothing can be launched, and so nothing be tried. */
const prerequisites = ["AMIsReady", "InstanceProfileReady", "SecurityGroupsReady", "SubnetsReady"];

const minute = 60_000;
const again = 10 * minute;
const firstPause = 1_000;

type Verdict = Pick<ConditionChange, "status" | "reason" | "message">;

/** Judges whether machines can be launched with what a node class says and what was found for it. */
export class Validation {
  readonly #parts: ValidationParts;
  readonly #allowed: ExpiringMap<true>;
  /** For so short a while that a policy which somebody has mended soon counts. */
  readonly #refused: ExpiringMap<Verdict>;
  /** Whose expressions give what they should. */
  readonly #sound: ExpiringMap<true>;
  /** By the name of the node class: how many times in a row nobody could tell. */
  readonly #pauses = new Map<string, number>();

  constructor(parts: ValidationParts) {
    this.#parts = parts;
    this.#allowed = new ExpiringMap({ clock: parts.clock, milliseconds: 30 * minute });
    this.#refused = new ExpiringMap({ clock: parts.clock, milliseconds: minute });
    this.#sound = new ExpiringMap({ clock: parts.clock, milliseconds: 30 * minute });
  }

  /** The node class with all that was found just now. */
  async validate(nodeClass: Ec2NodeClass): Promise<StepOutcome> {
    const outcome = (await this.#findAddresses(nodeClass)) ?? this.#judge(nodeClass) ?? (await this.#try(nodeClass));
    if (outcome.again === undefined || outcome.again >= again) this.#pauses.delete(nodeClass.name);
    return outcome;
  }

  /** A node class that is gone, or of which nothing may be taken for granted. */
  forget(name: string): void {
    this.#pauses.delete(name);
    for (const map of [this.#allowed, this.#refused, this.#sound]) map.deleteWhere((key) => key.startsWith(`${name}:`));
  }

  /** Only nodes of AL2023 have to be told which addresses services have. */
  async #findAddresses({ name, spec }: Ec2NodeClass): Promise<StepOutcome | undefined> {
    if (spec.amiFamily !== "AL2023") return undefined;
    const { clusterFacts, settings } = this.#parts;
    try {
      await clusterFacts.resolveServiceCidr();
      return undefined;
    } catch (error) {
      const failure = explainFailure(error, ["eks:DescribeCluster"]);
      if (failure.kind !== "refused") return this.#later(name, failure.message);
      const message = `Cannot find out the addresses of services of cluster "${settings.clusterName}", which AL2023 needs: ${failure.message}`;
      const reason = "ClusterCIDRResolutionFailed";
      return { change: { type: validationCondition, status: "False", reason, message }, failure: error };
    }
  }

  /** What can be told without trying; undefined when nothing speaks against it. */
  #judge(nodeClass: Ec2NodeClass): StepOutcome | undefined {
    const kubelet = judgeKubelet(nodeClass, this.#parts.settings);
    if (kubelet !== undefined) return conclude({ status: "False", ...kubelet });
    const unready = judgePrerequisites(nodeClass);
    if (unready !== undefined) return conclude(unready);
    const expressions = this.#judgeExpressions(nodeClass);
    if (expressions === "unknown") return this.#later(nodeClass.name, "the types of machines are not known yet");
    if (expressions !== undefined) return conclude({ status: "False", ...expressions });
    const tags = tagProblem(nodeClass.spec.tags);
    if (tags !== undefined) return conclude({ status: "False", reason: "TagValidationFailed", message: tags });
    return undefined;
  }

  /** Once for the same machines: there are more than a thousand. */
  #judgeExpressions(nodeClass: Ec2NodeClass): ReturnType<typeof judgeExpressions> {
    const { catalogue, settings } = this.#parts;
    const key = `${nodeClass.name}:${revisionOf(nodeClass)}:${catalogue.version}`;
    if (this.#sound.get(key)) return undefined;
    const problem = judgeExpressions(nodeClass, catalogue, settings);
    if (problem === undefined) this.#sound.set(key, true);
    return problem;
  }

  async #try(nodeClass: Ec2NodeClass): Promise<StepOutcome> {
    if (this.#parts.settings.disableDryRun) return conclude({ status: "True" });
    const key = `${nodeClass.name}:${fingerprint(nodeClass)}`;
    if (this.#allowed.get(key)) return conclude({ status: "True" });
    const refused = this.#refused.get(key);
    if (refused !== undefined) return { ...conclude(refused), again: minute };
    const outcome = await this.#parts.rehearsal.rehearse(nodeClass);
    if (outcome.kind === "unknown") return this.#later(nodeClass.name, outcome.message);
    if (outcome.kind === "allowed") {
      this.#allowed.set(key, true);
      return conclude({ status: "True" });
    }
    const verdict: Verdict = { status: "False", reason: outcome.reason, message: shorten(outcome.message) };
    if (!outcome.isLasting) return { ...conclude(verdict), again: this.#pause(nodeClass.name) };
    this.#refused.set(key, verdict);
    return { ...conclude(verdict), again: minute };
  }

  #later(name: string, message: string): StepOutcome {
    return {
      change: {
        type: validationCondition,
        status: "Unknown",
        reason: "AwaitingReconciliation",
        message: shorten(message),
      },
      isTentative: true,
      again: this.#pause(name),
    };
  }

  /** Longer each time, up to a minute. */
  #pause(name: string): number {
    const count = this.#pauses.get(name) ?? 0;
    this.#pauses.set(name, count + 1);
    return Math.min(minute, firstPause * 2 ** Math.min(count, 10));
  }
}

function conclude(verdict: Verdict): StepOutcome {
  return { change: { type: validationCondition, ...verdict }, again };
}

function judgePrerequisites(nodeClass: Ec2NodeClass): Verdict | undefined {
  const missing = prerequisites.filter((type) => findCondition(nodeClass, type)?.status !== "True");
  if (missing.length === 0) return undefined;
  const isFalse = missing.some((type) => findCondition(nodeClass, type)?.status === "False");
  return {
    status: isFalse ? "False" : "Unknown",
    reason: "DependenciesNotReady",
    message: `waits for ${missing.join(", ")}`,
  };
}

/** The same as long as the same machines would be launched, whatever the order in which things were found. */
function fingerprint({ status, spec, annotations }: Ec2NodeClass): string {
  const own = [nodeClassHashAnnotation, nodeClassHashVersionAnnotation];
  const parts = [
    status.subnets.map(({ id }) => id).sort(),
    status.securityGroups.map(({ id }) => id).sort(),
    status.amis.map((image) => JSON.stringify(image)).sort(),
    status.instanceProfile,
    spec,
    [...annotations].filter(([key]) => !own.includes(key)).sort(),
  ];
  const text = JSON.stringify(parts, (_, value: unknown) => (value instanceof Map ? [...value].sort() : value));
  return createHash("sha256").update(text).digest("hex");
}
