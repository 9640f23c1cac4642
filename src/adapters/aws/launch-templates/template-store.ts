import type * as ec2 from "@aws-sdk/client-ec2";
import type { Clock, Timer } from "../../../ports/clock.ts";
import type { Log } from "../../../ports/telemetry.ts";
import type { Ec2Api } from "../api/aws-api.ts";
import { errorCodeOf, isNotFound } from "../api/aws-error.ts";
import type { LaunchTemplates } from "../aws-parts.ts";
import { clusterNameTag, launchTemplatePrefix, nodeClassTag } from "../names.ts";
import type { Ec2NodeClass } from "../node-class/ec2-node-class.ts";

export interface TemplateStoreOptions {
  readonly ec2: Ec2Api;
  readonly clusterName: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** How long a template that nobody uses is kept. */
const lifetime = 60_000;

interface Kept {
  readonly id: string;
  usedAt: number;
}

/** The launch templates that are in use, and none that are not: what has not been used for a while is deleted at AWS. */
export class TemplateStore implements LaunchTemplates {
  readonly #options: TemplateStoreOptions;
  /** By name. */
  readonly #kept = new Map<string, Kept>();
  /** Those being made sure of. */
  readonly #pending = new Map<string, Promise<void>>();
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(options: TemplateStoreOptions) {
    this.#options = options;
  }

  /** Takes up what a process before this one has left, so that it goes when nobody needs it. */
  async hydrate(): Promise<void> {
    const { ec2, clusterName, clock } = this.#options;
    const templates = await ec2.describeLaunchTemplates({
      Filters: [{ Name: `tag:${clusterNameTag}`, Values: [clusterName] }],
    });
    for (const template of templates) if (!this.#kept.has(template.LaunchTemplateName ?? "")) this.#keep(template);
    if (templates.length > 0) this.#sweepAt(clock.now() + lifetime);
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  /** Sees to it that the template is there. */
  async ensure(input: TemplateRequest): Promise<void> {
    const name = input.LaunchTemplateName;
    const kept = this.#kept.get(name);
    if (kept !== undefined) {
      kept.usedAt = this.#options.clock.now();
      return;
    }
    const pending = this.#pending.get(name) ?? this.#make(input).finally(() => this.#pending.delete(name));
    this.#pending.set(name, pending);
    await pending;
  }

  /** AWS says that these are not there, whatever we thought. */
  forget(names: Iterable<string>): void {
    for (const name of names) this.#kept.delete(name);
  }

  async removeAllOf({ name }: Ec2NodeClass): Promise<void> {
    const { ec2, clusterName } = this.#options;
    const templates = await ec2.describeLaunchTemplates({
      Filters: [
        { Name: `tag:${clusterNameTag}`, Values: [clusterName] },
        { Name: `tag:${nodeClassTag}`, Values: [name] },
      ],
    });
    await Promise.all(
      templates.map(async (template) => {
        if (!this.#isOurs(template)) return;
        this.#kept.delete(template.LaunchTemplateName ?? "");
        await this.#delete(template.LaunchTemplateId ?? "");
      }),
    );
  }

  async #make(input: TemplateRequest): Promise<void> {
    const { ec2, clock } = this.#options;
    const template = await ec2
      .createLaunchTemplate(input)
      .then(({ LaunchTemplate }) => LaunchTemplate)
      .catch((error: unknown) => {
        if (errorCodeOf(error) !== "InvalidLaunchTemplateName.AlreadyExistsException") throw error;
        // With the same content: it is in the name.
        return this.#find(input.LaunchTemplateName);
      });
    if (template === undefined) return;
    this.#keep(template);
    this.#sweepAt(clock.now() + lifetime);
  }

  async #find(name: string): Promise<ec2.LaunchTemplate | undefined> {
    try {
      const [found] = await this.#options.ec2.describeLaunchTemplates({ LaunchTemplateNames: [name] });
      return found;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  #keep(template: ec2.LaunchTemplate): void {
    const { LaunchTemplateName: name = "", LaunchTemplateId: id = "" } = template;
    if (this.#isOurs(template)) this.#kept.set(name, { id, usedAt: this.#options.clock.now() });
  }

  /** What does not carry our tag and our prefix is not ours to delete. */
  #isOurs({ LaunchTemplateName: name = "", LaunchTemplateId: id = "", Tags = [] }: ec2.LaunchTemplate): boolean {
    const isTagged = Tags.some(({ Key, Value }) => Key === clusterNameTag && Value === this.#options.clusterName);
    return id !== "" && name.startsWith(launchTemplatePrefix) && isTagged;
  }

  #sweepAt(time: number): void {
    if (this.#timer !== undefined || this.#isStopped) return;
    const { clock, log } = this.#options;
    this.#timer = clock.after(time - clock.now(), () => {
      this.#timer = undefined;
      this.#sweep().catch((error: unknown) => log.error("cannot delete unused launch templates", { error }));
    });
  }

  async #sweep(): Promise<void> {
    const now = this.#options.clock.now();
    const old = [...this.#kept].filter(([, { usedAt }]) => now - usedAt >= lifetime);
    for (const [name] of old) this.#kept.delete(name);
    const next = Math.min(...[...this.#kept.values()].map(({ usedAt }) => usedAt + lifetime));
    if (Number.isFinite(next)) this.#sweepAt(next);
    const results = await Promise.allSettled(old.map(([, { id }]) => this.#delete(id)));
    for (const [index, result] of results.entries()) {
      const kept = old[index];
      if (result.status === "fulfilled" || kept === undefined || this.#kept.has(kept[0])) continue;
      this.#kept.set(kept[0], { id: kept[1].id, usedAt: now });
      this.#sweepAt(now + lifetime);
      this.#options.log.error("cannot delete a launch template", { name: kept[0], error: result.reason });
    }
  }

  async #delete(id: string): Promise<void> {
    try {
      await this.#options.ec2.deleteLaunchTemplate({ LaunchTemplateId: id });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

export interface TemplateRequest extends ec2.CreateLaunchTemplateCommandInput {
  readonly LaunchTemplateName: string;
}
