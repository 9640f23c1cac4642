import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { ensureProgram, type Progress } from "../../../scripts/lab/binaries.ts";

export interface Ran {
  readonly status: number;
  readonly output: string;
  /** What went wrong, and warnings. */
  readonly complaint: string;
}

/** An object that a chart makes, of any kind; `at` looks into it. */
export interface Rendered {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** By itself it waits for minutes. */
const patienceMs = 180_000;

/** The real helm, with a home of its own. */
export class Helm {
  readonly #program: string;
  readonly folder: string;

  private constructor(program: string, folder: string) {
    this.#program = program;
    this.folder = folder;
  }

  static async open(progress: Progress): Promise<Helm> {
    const program = await ensureProgram("helm", progress);
    return new Helm(program, await mkdtemp(join(tmpdir(), "karpenter-helm-")));
  }

  async close(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  /** What makes any helm one with this home. */
  get environment(): Readonly<Record<string, string>> {
    const names = ["HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME"];
    return Object.fromEntries(names.map((name) => [name, this.folder]));
  }

  run(args: readonly string[], kubeconfig = join(this.folder, "none")): Promise<Ran> {
    return new Promise((resolve, reject) => {
      const child = spawn(this.#program, args, {
        env: { ...process.env, ...this.environment, KUBECONFIG: kubeconfig },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let output = "";
      let complaint = "";
      child.stdout.on("data", (chunk) => {
        output += chunk;
      });
      child.stderr.on("data", (chunk) => {
        complaint += chunk;
      });
      const timer = setTimeout(() => child.kill(), patienceMs);
      child.on("error", reject);
      child.on("close", (status) => {
        clearTimeout(timer);
        resolve({ status: status ?? -1, output, complaint });
      });
    });
  }

  /** What it says; throws when it does not end well. */
  async must(args: readonly string[], kubeconfig?: string): Promise<string> {
    const { status, output, complaint } = await this.run(args, kubeconfig);
    if (status !== 0) throw new Error(`helm ${args.join(" ")} ended with ${status} and said: ${complaint}`);
    return output;
  }

  /** The objects that a chart makes. */
  async template(chart: string, args: readonly string[] = []): Promise<readonly Rendered[]> {
    const text = await this.must(["template", "karpenter", chart, "--namespace", "karpenter", ...args]);
    return parseAllDocuments(text)
      .map((document): Rendered | null => document.toJS())
      .filter((object) => object !== null);
  }
}

/** The one object of a kind and name. */
export function pick(objects: readonly Rendered[], kind: string, name?: string): Rendered {
  const [found, ...others] = objects.filter(
    (object) => object.kind === kind && (name === undefined || object.metadata.name === name),
  );
  if (found === undefined || others.length > 0)
    throw new Error(`there are ${found === undefined ? "no" : "several"} objects ${kind} ${name ?? ""}`);
  return found;
}

/** What stands in an object at a path such as `spec.template.spec.containers.0.image`. */
export function at(object: unknown, path: string): unknown {
  let found: unknown = object;
  for (const part of path.split("."))
    found = typeof found === "object" && found !== null ? (found as Record<string, unknown>)[part] : undefined;
  return found;
}
