import { WorkLoop } from "../../../runtime/work-loop.ts";
import type { Ec2Api } from "../api/aws-api.ts";
import { errorCodeOf } from "../api/aws-error.ts";
import { findUnhealthy, type Unhealthy, type UnhealthyCategory } from "./find-unhealthy.ts";
import type { InterruptionKind } from "./interruption.ts";
import { InterruptionActor, type InterruptionActorOptions } from "./interruption-actor.ts";
import { tryEach } from "./try-each.ts";

export interface InstanceStatusWatchOptions extends InterruptionActorOptions {
  readonly ec2: Pick<Ec2Api, "describeInstanceStatus">;
}

const name = "interruption.instancestatus";
const period = 60_000;
/** Somebody has to mend a policy first. */
const periodWhileRefused = 10 * 60_000;

/** Each is a question of its own, because filters of one must all hold. */
const filters = [
  { Name: "instance-status.status", Values: ["impaired"] },
  { Name: "system-status.status", Values: ["impaired"] },
  {
    Name: "event.code",
    Values: ["instance-reboot", "system-reboot", "system-maintenance", "instance-retirement", "instance-stop"],
  },
];

/** What is broken comes before what is only planned: a claim goes for the first of them. */
const kinds: ReadonlyMap<UnhealthyCategory, InterruptionKind> = new Map([
  ["InstanceStatus", "instance_status"],
  ["SystemStatus", "system_status"],
  ["EventStatus", "event_status"],
]);

/** Asks AWS every minute which machines are broken or about to be worked on, and ends those that are ours. */
export class InstanceStatusWatch {
  readonly #options: InstanceStatusWatchOptions;
  readonly #actor: InterruptionActor;
  readonly #loop: WorkLoop;
  /** `instance/category` of those that were unhealthy last time: each is counted once until it is well again. */
  #counted: ReadonlySet<string> = new Set();

  constructor(options: InstanceStatusWatchOptions) {
    const { clock, telemetry } = options;
    this.#options = options;
    this.#actor = new InterruptionActor(name, options);
    this.#loop = new WorkLoop({ name, reconcile: () => this.#look(), concurrency: 1, clock, telemetry });
  }

  start(): void {
    this.#actor.start();
    this.#loop.enqueue("instances");
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    this.#actor.stop();
  }

  async #look(): Promise<number> {
    const unhealthy = await this.#ask();
    if (unhealthy === "refused") return periodWhileRefused;
    const ours = unhealthy.filter(({ instanceId }) => this.#actor.isOurs(instanceId));
    this.#count(ours);
    const errors = await tryEach(ours, (one) => this.#actOn(one));
    if (errors.length > 0) throw new Error(`${errors.length} unhealthy machines are left`, { cause: errors[0] });
    return period;
  }

  async #ask(): Promise<readonly Unhealthy[] | "refused"> {
    const { ec2, clock, telemetry } = this.#options;
    try {
      const answers = await Promise.all(filters.map((filter) => ec2.describeInstanceStatus({ Filters: [filter] })));
      return findUnhealthy(answers.flat(), clock.now());
    } catch (error) {
      if (errorCodeOf(error) !== "UnauthorizedOperation") throw error;
      telemetry.log.error(
        "AWS refuses ec2:DescribeInstanceStatus, so broken machines go unnoticed: allow it to the controller's role",
        { controller: name, error },
      );
      return "refused";
    }
  }

  async #actOn({ instanceId, categories }: Unhealthy): Promise<void> {
    for (const [category, kind] of kinds) if (categories.has(category)) await this.#actor.act(kind, instanceId);
  }

  #count(unhealthy: readonly Unhealthy[]): void {
    const { telemetry } = this.#options;
    const now = new Set<string>();
    for (const { instanceId, categories } of unhealthy) {
      for (const category of categories) {
        const key = `${instanceId}/${category}`;
        now.add(key);
        if (this.#counted.has(key)) continue;
        telemetry.log.info("detected unhealthy instance", { controller: name, instanceID: instanceId, category });
        telemetry.metrics.add("interruption_instance_status_unhealthy_total", { category });
      }
    }
    this.#counted = now;
  }
}
