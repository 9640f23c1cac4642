import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { parse } from "yaml";

const main = join(import.meta.dirname, "main.ts");

interface Started {
  readonly child: ChildProcess;
  /** Everything that it wrote, once it is up or has ended. */
  readonly output: string;
}

/** Starts a cluster, and waits until it says how to reach it or ends. */
function start(...options: string[]): Promise<Started> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [main, "cluster", ...options]);
    let output = "";
    const read = (chunk: Buffer): void => {
      output += chunk;
      if (output.includes("Ctrl-C")) resolve({ child, output });
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.on("error", reject);
    child.on("close", () => resolve({ child, output }));
  });
}

function interrupt(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    child.on("close", resolve);
    child.kill("SIGINT");
  });
}

describe("karpenter cluster", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "cluster-command-"));
  });
  after(() => rmSync(folder, { recursive: true }));

  it("serves with the objects of a file until it is interrupted, and saves them all", async () => {
    const [manifests, kubeconfig, saved] = ["in.yaml", "kubeconfig", "out.yaml"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(manifests, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: mine}\ndata: {a: b}\n");
    const { child, output } = await start(
      "--http",
      "--nodes",
      "2",
      "--kubeconfig",
      kubeconfig,
      "--load",
      manifests,
      "--save",
      saved,
    );
    const server = (parse(readFileSync(kubeconfig, "utf8")) as { clusters: [{ cluster: { server: string } }] })
      .clusters[0].cluster.server;
    const answer = (await (await fetch(`${server}/api/v1/namespaces/default/configmaps/mine`)).json()) as {
      data: object;
    };
    const status = await interrupt(child);
    assert.match(output, new RegExp(`^Loaded 1 object from ${manifests}\nexport KUBECONFIG=${kubeconfig}\n`));
    assert.deepEqual([answer.data, statSync(kubeconfig).mode & 0o777, status], [{ a: "b" }, 0o600, 0]);
    assert.match(
      readFileSync(saved, "utf8"),
      /kind: Node\nmetadata:\n {2}name: node-2[\s\S]*kind: ConfigMap\nmetadata:\n {2}name: mine/,
    );
  });

  it("leaves no kubeconfig behind that it made up itself", async () => {
    const { child, output } = await start();
    const kubeconfig = /^export KUBECONFIG=(.*)$/m.exec(output)?.[1] ?? "";
    const wasThere = existsSync(kubeconfig);
    await interrupt(child);
    assert.deepEqual([wasThere, existsSync(kubeconfig)], [true, false]);
  });

  it("says what is wrong with a file or an option", async () => {
    const broken = join(folder, "broken.yaml");
    writeFileSync(broken, "apiVersion: v1\nkind: Gadget\nmetadata: {name: x}\n");
    const outputs = [
      (await start("--load", join(folder, "missing.yaml"))).output,
      (await start("--load", broken)).output,
      (await start("--fault", "503=2")).output,
      (await start("--without", "everything")).output,
    ];
    assert.match(outputs[0] ?? "", /^error: Cannot read .*missing\.yaml: ENOENT/);
    assert.match(
      outputs[1] ?? "",
      /^error: Cannot load .*broken\.yaml:\n {2}Cannot load Gadget x: no resource serves Gadget of v1/,
    );
    assert.match(outputs[2] ?? "", /Give a fault and a share above 0 and up to 1, such as 503=0\.1\./);
    assert.match(outputs[3] ?? "", /Allowed choices are scheduler, workloads, kubelet/);
  });
});
