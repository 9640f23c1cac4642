import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { plainStyle } from "../../../test/support/plain-style.ts";
import { customResourceDefinitions } from "../../core/api/definitions/custom-resource-definitions.ts";
import { EmbeddedCluster } from "../../embedded/cluster.ts";
import { loadManifests } from "../../embedded/manifests.ts";
import { type ServedCluster, serveCluster } from "../../embedded/server/serve-cluster.ts";
import { systemClock } from "../../embedded/time/system-clock.ts";
import { CliError } from "../cli-error.ts";
import { answerAboutNode, answerAboutPod } from "../explain/explain-command.ts";
import { printSections } from "./sections.ts";

const main = join(import.meta.dirname, "..", "main.ts");
const up = ["Launched", "Registered", "Initialized", "Consolidatable", "Ready"].map((type) => ({
  type,
  status: "True",
  reason: type,
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
}));
const labels = {
  "karpenter.sh/nodepool": "default",
  "karpenter.sh/capacity-type": "spot",
  "karpenter.sh/registered": "true",
  "karpenter.sh/initialized": "true",
  "node.kubernetes.io/instance-type": "c-4x-amd64-linux",
  "topology.kubernetes.io/zone": "test-zone-a",
  "kubernetes.io/arch": "amd64",
  "kubernetes.io/os": "linux",
  "eks-node-viewer/instance-price": "0.1",
};
const amounts = { cpu: "4", memory: "8Gi", pods: "50" };
const pool = (name: string, ref: object, more: object = {}): object => ({
  apiVersion: "karpenter.sh/v1",
  kind: "NodePool",
  metadata: { name },
  spec: {
    limits: { cpu: 100 },
    disruption: { consolidateAfter: "0s", consolidationPolicy: "WhenEmpty", budgets: [{ nodes: "0" }] },
    template: { spec: { nodeClassRef: ref, requirements: [], ...more } },
  },
});
const kwok = { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" };
const ec2 = { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" };
const forEc2 = {
  nodeSelector: { "karpenter.sh/nodepool": "cloud" },
  tolerations: [{ key: "cloud", operator: "Exists" }],
};
const pod = (name: string, cpu: string, spec: object = {}): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default" },
  spec: { containers: [{ name: "main", image: "main", resources: { requests: { cpu } } }], ...spec },
});

const objects: readonly object[] = [
  ...customResourceDefinitions,
  { apiVersion: "karpenter.kwok.sh/v1alpha1", kind: "KWOKNodeClass", metadata: { name: "default" } },
  pool("default", kwok),
  pool("tainted", kwok, { taints: [{ key: "team", value: "x", effect: "NoSchedule" }] }),
  {
    apiVersion: "karpenter.k8s.aws/v1",
    kind: "EC2NodeClass",
    metadata: { name: "default" },
    spec: {
      role: "nodes",
      amiSelectorTerms: [{ alias: "al2023@latest" }],
      subnetSelectorTerms: [{ tags: { team: "web" } }],
      securityGroupSelectorTerms: [{ tags: { team: "web" } }],
    },
    status: { subnets: [{ id: "subnet-1", zone: "eu-west-1b" }] },
  },
  pool("cloud", ec2, {
    taints: [{ key: "cloud", effect: "NoSchedule" }],
    requirements: [{ key: "karpenter.k8s.aws/instance-gpu-manufacturer", operator: "In", values: ["nvidia"] }],
  }),
  {
    apiVersion: "karpenter.sh/v1",
    kind: "NodeClaim",
    metadata: { name: "default-1", labels },
    spec: { nodeClassRef: kwok, requirements: [] },
    status: { providerID: "kwok://one", nodeName: "one", capacity: amounts, allocatable: amounts, conditions: up },
  },
  {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "one", labels: { ...labels, "kubernetes.io/hostname": "one" } },
    spec: { providerID: "kwok://one" },
    status: { capacity: amounts, allocatable: amounts, conditions: [{ type: "Ready", status: "True" }] },
  },
  pod("running", "1", { nodeName: "one" }),
  pod("waiting", "5"),
  pod("giant", "5000"),
  pod("on-ec2", "5", forEc2),
  pod("giant-on-ec2", "500", forEc2),
  { ...pod("free", "1"), metadata: { name: "elsewhere", namespace: "kube-system" } },
];

describe("questions to a cluster", () => {
  let folder = "";
  let cluster: EmbeddedCluster;
  let served: ServedCluster;
  let kubeconfig = "";

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "karpenter-ask-"));
    cluster = new EmbeddedCluster({ clock: systemClock, seed: 1, without: ["kubelet"] });
    const text = objects.map((object) => JSON.stringify(object)).join("\n---\n");
    const { problems } = loadManifests(cluster, text);
    assert.deepEqual(problems, []);
    served = await serveCluster(cluster);
    kubeconfig = join(folder, "kubeconfig");
    writeFileSync(kubeconfig, served.kubeconfig, { mode: 0o600 });
  });
  after(async () => {
    await served.close();
    cluster.stop();
    rmSync(folder, { recursive: true });
  });

  function run(...args: readonly string[]): Promise<{ status: number; stdout: string; stderr: string }> {
    const env = { ...process.env, KUBECONFIG: kubeconfig, NO_COLOR: "1" };
    return new Promise((resolve) => {
      execFile(process.execPath, [main, ...args], { env }, (error, stdout, stderr) =>
        resolve({ status: Number(error?.code ?? 0), stdout, stderr }),
      );
    });
  }

  /** What the command prints, without a process of its own. */
  async function explain(answer: typeof answerAboutPod, name: string): Promise<string> {
    return printSections(await answer(name, { kubeconfig }), Number.POSITIVE_INFINITY, plainStyle);
  }

  async function refuses(answer: typeof answerAboutPod, name: string, message: RegExp): Promise<void> {
    await assert.rejects(explain(answer, name), (error) => error instanceof CliError && message.test(error.message));
  }

  it("are answered with a table in a pipe, and with JSON for programs", async () => {
    const [table, json] = await Promise.all([run("nodes"), run("nodes", "-o", "json")]);
    assert.equal(table.status, 0, table.stderr);
    assert.match(table.stdout, /^NODE +POOL +TYPE/);
    assert.match(table.stdout, /^one +default +c-4x-amd64-linux +test-zone-a +spot +0\.100 .*ready$/m);
    assert.match(table.stdout, /^1 node {2}\d pods {2}\d waiting {2}\$0\.100\/h {2}\$73\/month/m);
    const { nodes, totals } = JSON.parse(json.stdout);
    assert.deepEqual([nodes[0].nodeClaim, nodes[0].state, totals.pricePerMonth], ["default-1", "ready", 73]);
  });

  it("tell where a pod will go, and which pools would have it", async () => {
    const { stdout, status, stderr } = await run("explain", "pod", "waiting");
    assert.equal(status, 0, stderr);
    assert.match(stdout, /It gets a new node: \S+ in \S+, (spot|on-demand), \$\S+\/h, of pool default, /);
    assert.match(stdout, /^ {2}default {2}would launch /m);
    assert.match(stdout, /^ {2}tainted {2}has the taint team=x:NoSchedule, which the pod does not tolerate\.$/m);
    assert.match(stdout, /^ {2}one lacks \d+m? cpu$/m);
  });

  it("tell why a pod waits, and the nearest miss", async () => {
    const text = await explain(answerAboutPod, "giant");
    assert.match(text, /It waits\. No pool can serve it, and no node has room\./);
    assert.match(text, /^ {2}default {2}has nothing large enough: the nearest miss is /m);
  });

  it("tell what a pool on EC2 would launch, or the nearest miss, with nobody to ask", async () => {
    const fitting = await explain(answerAboutPod, "on-ec2");
    const giant = await explain(answerAboutPod, "giant-on-ec2");
    assert.match(fitting, /It gets a new node: g\w+\.2xlarge in eu-west-1b, spot, about \$\S+\/h, of pool cloud, /);
    assert.match(fitting, /^ {2}Machines are those of EC2 in the built-in list of \w+ \d+, .* in us-east-1; /m);
    assert.match(giant, /It waits\. No pool can serve it, and no node has room\./);
    assert.match(giant, /^ {2}cloud +has nothing large enough: the nearest miss is \w+\.\d+xlarge, /m);
  });

  it("tell where a pod is, and where one is that is not here", async () => {
    assert.match(await explain(answerAboutPod, "running"), /It is on one/);
    const elsewhere = await run("explain", "pod", "elsewhere");
    assert.match(
      elsewhere.stderr,
      /^error: There is no pod "elsewhere" in namespace default, but one in kube-system: say -n kube-system/,
    );
    assert.equal(elsewhere.status, 1);
    await refuses(
      answerAboutPod,
      "none",
      /^There is no pod "none" in namespace default\. See kubectl -n default get pods/,
    );
  });

  it("tell what a node costs, what is on it, and why it stays, by either of its names", async () => {
    const { status, stdout } = await run("explain", "node", "one");
    assert.equal(status, 0);
    for (const text of [stdout, await explain(answerAboutNode, "default-1")]) {
      assert.match(text, /costs {5}\$0\.100\/h, \$73\/month/);
      assert.match(
        text,
        /Underutilized: no: NodePool "default" has consolidation policy WhenEmpty, but node is not empty/,
      );
      assert.match(text, /Empty +0 more may go: the budget of 0 lets 0 of 1 go at once/);
      assert.match(text, /default\/running +1 +0 +no owner/);
      assert.match(text, /defaults: no Deployment has the label app\.kubernetes\.io\/name=karpenter: /);
    }
    await refuses(answerAboutNode, "on", /^There is no node or NodeClaim "on"\. Is it one of one\?/);
  });

  it("say the next step where there is no answer", async () => {
    const away = join(folder, "away");
    writeFileSync(away, served.kubeconfig.replace(served.url, "https://127.0.0.1:1"));
    const stranger = join(folder, "stranger");
    writeFileSync(stranger, served.kubeconfig.replace(/token: .*/, "token: wrong"));
    const [missing, unreachable, unknown] = await Promise.all(
      [join(folder, "missing"), away, stranger].map((file) => run("nodes", "--kubeconfig", file)),
    );
    assert.match(missing?.stderr ?? "", /^error: .*missing.*\(or give --kubeconfig FILE\)/);
    assert.match(
      unreachable?.stderr ?? "",
      /^error: Cannot reach the cluster at https:\/\/127\.0\.0\.1:1: connect ECONNREFUSED.*kubectl cluster-info/,
    );
    assert.match(unknown?.stderr ?? "", /^error: The cluster at \S+ does not know you: .*Renew the credentials/);
    assert.deepEqual([missing?.status, unreachable?.status, unknown?.status], [1, 1, 1]);
  });

  it("are not needed to find mistakes in files", async () => {
    const file = join(folder, "pool.json");
    writeFileSync(file, JSON.stringify(pool("a", kwok)));
    const bad = join(folder, "bad.json");
    writeFileSync(bad, JSON.stringify(pool("b", kwok, { requirments: [] })));
    const [good, refused] = await Promise.all([run("lint", "-f", file), run("lint", "-f", bad, "-o", "json")]);
    assert.equal(good.status, 0, good.stdout);
    assert.match(good.stdout, /0 errors, 2 warnings in 1 object\n$/);
    const [finding] = JSON.parse(refused.stdout).findings;
    assert.deepEqual(
      [refused.status, finding.path, finding.fix],
      [1, "spec.template.spec.requirments", "did you mean requirements?"],
    );
  });
});
