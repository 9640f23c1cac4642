import { ec2NodeClasses } from "../../../core/api/karpenter-resources.ts";
import { describeProblem, type Problem } from "../../../core/api/problem.ts";
import { writeConditions } from "../../../core/api/write-conditions.ts";
import { changeConditions } from "../../../core/model/condition.ts";
import type { NodeClaim } from "../../../core/model/node-claim.ts";
import type { NodeClassObject } from "../../../core/model/node-pool-object.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { ClusterView } from "../../../ports/cluster-view.ts";
import type { Telemetry } from "../../../ports/telemetry.ts";
import type { KubeClient } from "../../../runtime/kube-client.ts";
import { outcomeOf, patchStatus } from "../../../runtime/patch-status.ts";
import { WorkLoop } from "../../../runtime/work-loop.ts";
import type { LaunchTemplates } from "../aws-parts.ts";
import type { AwsSettings } from "../aws-settings.ts";
import type { QueueHealth } from "../interruption/queue-health.ts";
import { nodeClassFinalizer } from "../names.ts";
import { isEc2NodeClass } from "../node-class/is-ec2-node-class.ts";
import { readEc2NodeClass } from "../node-class/read-node-class.ts";
import { CredentialOutages } from "./credential-outages.ts";
import { explainFailure, shorten } from "./explain-failure.ts";
import { type FindStep, type FindStepsParts, findSteps, reservationCondition } from "./find-steps.ts";
import { lookAfter } from "./look-after.ts";
import { Validation, type ValidationParts, validationCondition } from "./validation.ts";
import { statusChanges } from "./write-status.ts";

export interface NodeClassControllerOptions extends FindStepsParts, ValidationParts {
  readonly cluster: Pick<ClusterView, "claims" | "nodeClasses">;
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly settings: ValidationParts["settings"] & Pick<AwsSettings, "isolatedVpc" | "isReservedCapacityEnabled">;
  readonly clusterFacts: ValidationParts["clusterFacts"] & FindStepsParts["clusterFacts"];
  readonly launchTemplates: LaunchTemplates;
  /** Undefined when no queue is to be followed. */
  readonly queue: QueueHealth | undefined;
}

/** Somebody else wrote meanwhile, and what they wrote is on its way to us. */
const soon = 10;
const remindMilliseconds = 10 * 60_000;
const mostNames = 5;
const cleanupActions = [
  "iam:ListInstanceProfiles",
  "iam:RemoveRoleFromInstanceProfile",
  "iam:DeleteInstanceProfile",
  "ec2:DeleteLaunchTemplate",
];

/** Finds what each node class needs, says in its status what is there and what is missing, and cleans up after it. */
export class NodeClassController {
  readonly #options: NodeClassControllerOptions;
  readonly #steps: readonly FindStep[];
  readonly #validation: Validation;
  readonly #outages: CredentialOutages;
  readonly #loop: WorkLoop;
  readonly #unsubscribe: (() => void)[] = [];

  constructor(options: NodeClassControllerOptions) {
    this.#options = options;
    const { settings, clock, telemetry } = options;
    this.#steps = findSteps(options).filter(
      ({ condition }) => condition !== reservationCondition || settings.isReservedCapacityEnabled,
    );
    this.#validation = new Validation(options);
    this.#outages = new CredentialOutages(clock);
    this.#loop = new WorkLoop({ name: "nodeclass", clock, telemetry, reconcile: (name) => this.#reconcile(name) });
  }

  start(): void {
    const { nodeClasses, claims } = this.#options.cluster;
    const all = (): void => {
      for (const nodeClass of nodeClasses.values()) if (isEc2NodeClass(nodeClass)) this.#loop.enqueue(nodeClass.name);
    };
    this.#unsubscribe.push(
      nodeClasses.onChange(({ before, after }) => {
        if (after !== undefined && isEc2NodeClass(after) && isNews(before, after)) this.#loop.enqueue(after.name);
      }),
      claims.onChange(({ before, after }) => {
        if (after === undefined && before !== undefined && isEc2NodeClass(before.nodeClassRef)) {
          this.#loop.enqueue(before.nodeClassRef.name);
        }
      }),
      this.#options.queue?.onChange(all) ?? (() => {}),
    );
    all();
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#loop.stop();
  }

  async #reconcile(name: string): Promise<number | undefined> {
    const object = this.#options.cluster.nodeClasses.get(`${ec2NodeClasses.kind}/${name}`);
    if (object === undefined) {
      this.#validation.forget(name);
      this.#outages.end(name);
      return undefined;
    }
    if (object.deletedAt !== undefined) return this.#finalize(object);
    if (!object.finalizers.includes(nodeClassFinalizer)) {
      await this.#writeFinalizers(object, [...object.finalizers, nodeClassFinalizer]);
      return soon;
    }
    const { value: nodeClass, problems } = { value: undefined, ...readEc2NodeClass(object.wire) };
    if (nodeClass === undefined) return this.#refuse(object, problems ?? []);
    const { queue, clock } = this.#options;
    const parts = { steps: this.#steps, validation: this.#validation, outages: this.#outages, queue, clock };
    const look = await lookAfter(nodeClass, parts);
    const changes = statusChanges(nodeClass, look.nodeClass);
    if (changes !== undefined && (await this.#writeStatus(object, changes)) === "conflict") return soon;
    if (look.failures.length > 0) throw failureOf(look.failures);
    return look.again;
  }

  /** Somebody has got past the definition, or has another one. */
  async #refuse(object: NodeClassObject, problems: readonly Problem[]): Promise<number | undefined> {
    const message = shorten(problems.map(describeProblem).join("; "));
    const dependents = [...this.#steps.map(({ condition }) => condition), validationCondition];
    const change = { type: validationCondition, status: "False", reason: "InvalidNodeClass", message } as const;
    const now = this.#options.clock.now();
    const conditions = changeConditions(object, dependents, { changes: [change], now });
    if (conditions === object.conditions) return undefined;
    const written = await this.#writeStatus(object, { conditions: writeConditions(conditions) });
    return written === "conflict" ? soon : undefined;
  }

  async #finalize(object: NodeClassObject): Promise<number | undefined> {
    if (!object.finalizers.includes(nodeClassFinalizer)) return undefined;
    const { cluster, instanceProfiles, launchTemplates, settings } = this.#options;
    const claims = [...cluster.claims.values()].filter(
      (claim) => isEc2NodeClass(claim.nodeClassRef) && claim.nodeClassRef.name === object.name,
    );
    if (claims.length > 0) {
      this.#tellOf(object, claims);
      return remindMilliseconds;
    }
    try {
      // IAM cannot be reached from there.
      if (!settings.isolatedVpc) await instanceProfiles.removeAllOf(object);
      await launchTemplates.removeAllOf(object);
    } catch (error) {
      const { message } = explainFailure(error, cleanupActions);
      throw new Error(`Cannot clean up after EC2NodeClass "${object.name}": ${message}`, { cause: error });
    }
    this.#validation.forget(object.name);
    const others = object.finalizers.filter((finalizer) => finalizer !== nodeClassFinalizer);
    return (await this.#writeFinalizers(object, others)) === "conflict" ? soon : undefined;
  }

  #tellOf({ name, uid }: NodeClassObject, claims: readonly NodeClaim[]): void {
    const names = claims.map((claim) => claim.name).sort();
    const more = names.length > mostNames ? ` and ${names.length - mostNames} others` : "";
    const { group, version, kind } = ec2NodeClasses;
    this.#options.telemetry.events.publish({
      object: { apiVersion: `${group}/${version}`, kind, name, uid },
      type: "Normal",
      reason: "WaitingOnNodeClaimTermination",
      message: `Waiting on NodeClaim termination for ${names.slice(0, mostNames).join(", ")}${more}`,
      sameAs: [uid],
    });
  }

  async #writeFinalizers({ name, resourceVersion }: NodeClassObject, finalizers: readonly string[]) {
    const body = { metadata: { resourceVersion, finalizers } };
    const answer = await this.#options.kube.patch(ec2NodeClasses, { name }, { body });
    return outcomeOf(answer, `write the finalizers of EC2NodeClass "${name}"`);
  }

  #writeStatus({ name, resourceVersion }: NodeClassObject, status: object) {
    return patchStatus(this.#options.kube, ec2NodeClasses, { name, resourceVersion, status });
  }
}

/** What we write in the status ourselves is none. */
function isNews(before: NodeClassObject | undefined, after: NodeClassObject): boolean {
  return (
    before === undefined ||
    before.uid !== after.uid ||
    before.generation !== after.generation ||
    before.deletedAt !== after.deletedAt ||
    before.finalizers.join() !== after.finalizers.join()
  );
}

/** One for all, because each failed for itself and all are tried again together. */
function failureOf(failures: readonly unknown[]): unknown {
  const [first, ...others] = failures;
  if (others.length === 0) return first;
  const messages = failures.map((failure) => (failure instanceof Error ? failure.message : String(failure)));
  return new Error(messages.join("; "), { cause: first });
}
