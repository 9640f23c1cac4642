import type { Telemetry } from "../../../ports/telemetry.ts";
import type { Ec2NodeClass } from "../node-class/ec2-node-class.ts";
import { mostUserDataBytes } from "./encode-user-data.ts";

export interface MadeUserData {
  readonly bytes: number;
  /** Settings of the user's own that the machine would not understand, and that were left out. */
  readonly ignored: readonly string[];
}

export interface UserDataSizesOptions {
  readonly nodeClasses: { values(): Iterable<Ec2NodeClass> };
  readonly telemetry: Pick<Telemetry, "log" | "metrics">;
}

interface Noted {
  readonly generation: number;
  bytes: number;
}

/** From here on its author should be told: labels and taints of pools come on top. */
const muchBytes = 0.9 * mostUserDataBytes;

/** How large the user data of node classes have become, which EC2 limits, and what in them is without effect. */
export class UserDataSizes {
  readonly #options: UserDataSizesOptions;
  /** By the uid of the node class; those of its present generation only. */
  readonly #noted = new Map<string, Noted>();
  #unsubscribe = (): void => {};

  constructor(options: UserDataSizesOptions) {
    this.#options = options;
  }

  start(): void {
    this.#unsubscribe = this.#options.telemetry.metrics.collect(() => ({
      ec2nodeclasses_userdata_bytes: this.#samples(),
    }));
  }

  stop(): void {
    this.#unsubscribe();
    this.#noted.clear();
  }

  note({ name, uid, generation }: Ec2NodeClass, { bytes, ignored }: MadeUserData): void {
    const { log } = this.#options.telemetry;
    const known = this.#noted.get(uid);
    const before = known?.generation === generation ? known.bytes : 0;
    if (before >= bytes) return;
    this.#noted.set(uid, { generation, bytes });
    const fields = { EC2NodeClass: { name } };
    if (bytes >= muchBytes && before < muchBytes) {
      log.info(`the user data are ${bytes} bytes, and EC2 takes at most ${mostUserDataBytes}: shorten them`, fields);
    }
    if (ignored.length > 0 && before === 0) {
      log.info("some settings in the user data are without effect, because nobody knows them", { ...fields, ignored });
    }
  }

  *#samples(): Generator<{ readonly labels: { readonly nodeclass: string }; readonly value: number }> {
    const there = new Set<string>();
    for (const { uid, name } of this.#options.nodeClasses.values()) {
      there.add(uid);
      const noted = this.#noted.get(uid);
      if (noted !== undefined) yield { labels: { nodeclass: name }, value: noted.bytes };
    }
    for (const uid of this.#noted.keys()) if (!there.has(uid)) this.#noted.delete(uid);
  }
}
