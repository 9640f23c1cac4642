import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** One request of somebody, as the API server writes it down. */
interface AuditEvent {
  readonly verb: string;
  readonly requestURI: string;
  readonly objectRef?: { readonly apiGroup?: string; readonly resource: string; readonly subresource?: string };
  readonly annotations?: Readonly<Record<string, string>>;
}

/** What somebody asked of the API server: the server's own book, which nobody else can forget to write. */
export class Audit {
  readonly #log: string;
  readonly flags: readonly string[];

  private constructor(log: string, policy: string) {
    this.#log = log;
    this.flags = [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`];
  }

  /** Of one service account, as in `system:serviceaccount:kube-system:karpenter`. */
  static async of(user: string, folder: string): Promise<Audit> {
    const policy = join(folder, "audit-policy.json");
    const rules = [{ level: "Metadata", users: [user], omitStages: ["RequestReceived"] }, { level: "None" }];
    await writeFile(policy, JSON.stringify({ apiVersion: "audit.k8s.io/v1", kind: "Policy", rules }));
    return new Audit(join(folder, "audit.log"), policy);
  }

  async #read(): Promise<readonly AuditEvent[]> {
    const lines = (await readFile(this.#log, "utf8")).split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
  }

  /** What there was no permission for, without repetition. (In a namespace that ends, nothing new is taken either.) */
  async forbidden(): Promise<readonly string[]> {
    const events = (await this.#read()).filter(
      ({ annotations }) => annotations?.["authorization.k8s.io/decision"] === "forbid",
    );
    return [...new Set(events.map(({ verb, requestURI }) => `${verb} ${requestURI.replace(/\?.*/, "")}`))];
  }

  /** What was asked for, as permissions are written: "patch karpenter.sh nodepools/status". */
  async used(): Promise<ReadonlySet<string>> {
    return new Set(
      (await this.#read()).flatMap(({ verb, objectRef }) => {
        if (objectRef === undefined) return [];
        const { apiGroup = "", resource, subresource } = objectRef;
        return [`${verb} ${apiGroup} ${subresource === undefined ? resource : `${resource}/${subresource}`}`];
      }),
    );
  }
}
