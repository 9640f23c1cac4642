import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { firstProvisionerDefinition } from "../../src/core/api/definitions/legacy-first-provisioner.ts";
import { nodeTemplateDefinition } from "../../src/core/api/definitions/legacy-node-template.ts";
import { provisionerDefinition } from "../../src/core/api/definitions/legacy-provisioner.ts";
import {
  ec2NodeClasses,
  firstProvisioners,
  nodePools,
  nodeTemplates,
  provisioners,
} from "../../src/core/api/karpenter-resources.ts";
import type { KubeMetadata } from "../../src/runtime/kube-object.ts";
import { TranslatorStage } from "./translator-stage.ts";

const isIn = (key: string, ...values: string[]) => ({ key, operator: "In", values });
const zone = "topology.kubernetes.io/zone";
const instanceType = "node.kubernetes.io/instance-type";
const capacityType = "karpenter.sh/capacity-type";

const template = (spec: object = {}) => ({
  apiVersion: "karpenter.k8s.aws/v1alpha1",
  kind: "AWSNodeTemplate",
  metadata: { name: "shared" },
  spec: {
    amiFamily: "Bottlerocket",
    instanceProfile: "nodes",
    subnetSelector: { "karpenter.sh/discovery": "demo" },
    securityGroupSelector: { "karpenter.sh/discovery": "demo" },
    ...spec,
  },
});

const provisioner = (name: string, spec: object = {}) => ({
  apiVersion: "karpenter.sh/v1alpha5",
  kind: "Provisioner",
  metadata: { name, labels: { "app.kubernetes.io/instance": "web" } },
  spec: {
    requirements: [isIn(capacityType, "spot"), isIn(instanceType, "m5.large")],
    limits: { resources: { cpu: 1000 } },
    ttlSecondsAfterEmpty: 30,
    providerRef: { name: "shared" },
    ...spec,
  },
});

const first = (name: string, spec: object) => ({
  apiVersion: "provisioning.karpenter.sh/v1alpha1",
  kind: "Provisioner",
  metadata: { name, namespace: "default" },
  spec,
});

const os = isIn("kubernetes.io/os", "linux");
const arch = (value: string) => isIn("kubernetes.io/arch", value);
const cluster = { name: "demo", caBundle: "Zm9v", endpoint: "https://demo" };

/** Provisioners of every version before v1alpha5, and what their pools require. */
const forms: readonly {
  apiVersion: string;
  spec: object;
  requirements: readonly { key: string }[];
  consolidateAfter: string;
}[] = [
  {
    apiVersion: "provisioning.karpenter.sh/v1alpha1",
    spec: { cluster, instanceTypes: ["m5.large"], zones: ["us-west-2a"], architecture: "arm64", ttlSeconds: 30 },
    requirements: [
      isIn(zone, "us-west-2a"),
      isIn(instanceType, "m5.large"),
      arch("arm64"),
      os,
      isIn(capacityType, "on-demand"),
    ],
    consolidateAfter: "30s",
  },
  {
    apiVersion: "provisioning.karpenter.sh/v1alpha2",
    spec: { cluster, labels: { "node.k8s.aws/capacity-type": "spot" }, ttlSecondsAfterEmpty: 60 },
    requirements: [isIn(capacityType, "spot"), os, arch("amd64")],
    consolidateAfter: "60s",
  },
  {
    apiVersion: "karpenter.sh/v1alpha3",
    spec: { cluster: { endpoint: "https://demo" }, labels: { "kubernetes.io/arch": "arm64" } },
    requirements: [arch("arm64"), os, isIn(capacityType, "on-demand")],
    consolidateAfter: "Never",
  },
  {
    apiVersion: "karpenter.sh/v1alpha4",
    spec: {
      architectures: ["arm64"],
      operatingSystems: ["linux"],
      ttlSecondsAfterEmpty: 30,
      provider: { cluster, instanceProfile: "p", capacityTypes: ["spot"], subnetSelector: { Name: "private" } },
    },
    requirements: [arch("arm64"), os, isIn(capacityType, "spot")],
    consolidateAfter: "30s",
  },
  {
    apiVersion: "karpenter.sh/v1alpha1",
    spec: { constraints: [{ type: "aws", region: "us-west-2", zones: ["a"], instanceTypes: ["m5.large"] }] },
    requirements: [
      isIn("topology.kubernetes.io/region", "us-west-2"),
      isIn(zone, "us-west-2a"),
      isIn(instanceType, "m5.large"),
      os,
      arch("amd64"),
      isIn(capacityType, "on-demand"),
    ],
    consolidateAfter: "Never",
  },
];

const annotationsOf = (object: { readonly metadata: KubeMetadata } | undefined) =>
  (object?.metadata.annotations ?? {}) as Readonly<Record<string, string>>;

const ownPool = (name: string) => ({
  apiVersion: "karpenter.sh/v1",
  kind: "NodePool",
  metadata: { name },
  spec: {
    template: {
      spec: { nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "mine" }, requirements: [] },
    },
  },
});

describe("a Provisioner on a cluster", () => {
  let stage: TranslatorStage;
  beforeEach(async () => {
    stage = new TranslatorStage();
    await stage.start();
  });
  afterEach(() => stage.stop());

  const converted = async (name: string) => {
    const found = await stage.condition(provisioners, name);
    return [found?.status, found?.reason, found?.message];
  };
  const zonesOf = async (name: string) => (await stage.pool(name))?.spec.template.spec.requirements;

  it("is carried out as a pool and a node class that belong to it", async () => {
    await stage.apply(template(), provisioner("default"));
    const [owner, pool, nodeClass] = [
      await stage.find(provisioners, "default"),
      await stage.pool("default"),
      await stage.nodeClass("default"),
    ];
    const reference = {
      apiVersion: "karpenter.sh/v1alpha5",
      kind: "Provisioner",
      name: "default",
      uid: owner?.metadata.uid,
      controller: true,
    };
    const uid = { "karpenter.sh/provisioner-uid": owner?.metadata.uid };
    assert.deepEqual(pool?.metadata.ownerReferences, [reference]);
    assert.deepEqual(nodeClass?.metadata.ownerReferences, [reference]);
    assert.deepEqual(pool?.metadata.annotations, { ...uid, "karpenter.sh/provisioner-name": "default" });
    assert.deepEqual(nodeClass?.metadata.annotations, uid);
    assert.deepEqual([pool?.metadata.labels, nodeClass?.metadata.labels], [undefined, undefined]);
    assert.deepEqual(pool?.spec, {
      template: {
        spec: {
          nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" },
          requirements: [
            isIn(capacityType, "spot"),
            isIn(instanceType, "m5.large"),
            isIn("kubernetes.io/os", "linux"),
            isIn("kubernetes.io/arch", "amd64"),
          ],
          expireAfter: "Never",
        },
      },
      disruption: {
        consolidationPolicy: "WhenEmpty",
        consolidateAfter: "30s",
        budgets: [{ nodes: "100%" }, { nodes: "0", reasons: ["Drifted"] }],
      },
      limits: { cpu: 1000 },
    });
    assert.deepEqual(nodeClass?.spec.amiSelectorTerms, [{ alias: "bottlerocket@latest" }]);
    assert.equal(nodeClass?.spec.instanceProfile, "nodes");
  });

  it("says what was made of it, what changed, and how its pool fares", async () => {
    await stage.apply(template(), provisioner("default", { consolidationn: true }));
    assert.deepEqual(await converted("default"), [
      "True",
      "Converted",
      "NodePool default and EC2NodeClass default do what this object says",
    ]);
    const dropped = await stage.condition(provisioners, "default", "FieldsDropped");
    assert.equal(dropped?.status, "True");
    assert.match(dropped?.message ?? "", /^spec\.consolidationn is no field of Provisioner v1alpha5.*\n/);
    assert.match(dropped?.message ?? "", /spec\.ttlSecondsAfterEmpty is consolidationPolicy WhenEmpty/);
    assert.equal((await stage.condition(provisioners, "default", "Ready"))?.status, "Unknown");
    stage.bench.embedded.settle();
    const conditions = [
      { type: "Ready", status: "True", reason: "Ready", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" },
    ];
    const body = { status: { conditions } };
    await stage.bench.user.patch(nodePools, { name: "default", subresource: "status" }, { body });
    await stage.settle();
    assert.equal((await stage.condition(provisioners, "default", "Ready"))?.status, "True");
    const used = await stage.condition(nodeTemplates, "shared");
    assert.match(used?.message ?? "", /refer to this object say the same: default$/);
    assert.deepEqual(
      stage.bench.telemetry.happenings.map(({ type, reason, object }) => `${type} ${reason} ${object.name}`),
      ["Normal Converted default"],
    );
  });

  it("is followed when it changes, or its template does", async () => {
    await stage.apply(template(), provisioner("default"));
    await stage.apply(provisioner("default", { ttlSecondsAfterEmpty: 60, weight: 7 }));
    const pool = await stage.pool("default");
    assert.deepEqual([pool?.spec.disruption.consolidateAfter, pool?.spec.weight], ["60s", 7]);
    await stage.apply(template({ tags: { team: "web" } }));
    assert.deepEqual((await stage.nodeClass("default"))?.spec.tags, { team: "web" });
    await stage.change(provisioners, "default", { spec: { weight: null } });
    assert.equal((await stage.pool("default"))?.spec.weight, undefined);
  });

  it("puts back what somebody changes in what is made of it, and leaves the rest alone", async () => {
    await stage.apply(template(), provisioner("default"));
    const before = [(await stage.pool("default"))?.spec, (await stage.nodeClass("default"))?.spec];
    await stage.change(nodePools, "default", {
      metadata: { labels: { mine: "x" }, annotations: { "karpenter.sh/provisioner-name": "other", note: "x" } },
      spec: { weight: 5, limits: { cpu: 1, memory: "1Gi" }, disruption: { consolidateAfter: "1h" } },
    });
    await stage.change(ec2NodeClasses, "default", { spec: { instanceProfile: "other", tags: { a: "b" } } });
    const [pool, nodeClass] = [await stage.pool("default"), await stage.nodeClass("default")];
    assert.deepEqual([pool?.spec, nodeClass?.spec], before);
    assert.deepEqual(pool?.metadata.labels, { mine: "x" });
    const { "karpenter.sh/provisioner-name": name, note } = annotationsOf(pool);
    assert.deepEqual([name, note], ["default", "x"]);
  });

  it("is made anew when somebody deletes what is made of it", async () => {
    await stage.apply(template(), provisioner("default"));
    const before = (await stage.pool("default"))?.metadata.uid;
    await stage.delete(nodePools, "default");
    const after = (await stage.pool("default"))?.metadata.uid;
    assert.ok(after !== undefined && after !== before);
  });

  it("says so to whoever deleted a pool: the Provisioner is what they have to delete", async () => {
    await stage.apply(template(), provisioner("default"));
    await stage.apply(provisioner("default", { weight: 3 }));
    stage.bench.telemetry.happenings.length = 0;
    await stage.delete(nodePools, "default");
    const told = stage.bench.telemetry.happenings.map(({ type, reason, object, message }) => [
      `${type} ${reason} ${object.kind}`,
      message,
    ]);
    const message =
      "NodePool default was deleted, and is made anew: whoever wants its nodes gone deletes this Provisioner instead";
    assert.deepEqual(told, [
      ["Warning MadeAnew Provisioner", message],
      ["Warning MadeAnew NodePool", message],
    ]);
    await stage.delete(provisioners, "default");
    assert.deepEqual(await stage.names(nodePools), []);
  });

  it("waits for a pool that is on its way out, and says what to delete instead", async () => {
    await stage.apply(template(), provisioner("default"));
    await stage.change(nodePools, "default", { metadata: { finalizers: ["example.com/slow"] } });
    await stage.delete(nodePools, "default");
    assert.deepEqual(await converted("default"), [
      "Unknown",
      "AwaitingDeletion",
      "NodePool default is being deleted, and is made anew after that: whoever wants its nodes gone deletes this Provisioner instead",
    ]);
    await stage.change(nodePools, "default", { metadata: { finalizers: null } });
    assert.equal((await converted("default"))[0], "True");
    assert.deepEqual(
      stage.bench.telemetry.happenings.map(({ type, reason }) => `${type} ${reason}`),
      ["Normal Converted", "Warning AwaitingDeletion", "Normal Converted"],
    );
  });

  it("takes what is made of it with it", async () => {
    await stage.apply(template(), provisioner("default"), provisioner("other"));
    await stage.delete(provisioners, "default");
    assert.deepEqual([await stage.names(nodePools), await stage.names(ec2NodeClasses)], [["other"], ["other"]]);
  });

  it("leaves objects of its name alone that are not its own, until they go", async () => {
    await stage.apply(ownPool("default"), template(), provisioner("default"));
    const before = await stage.pool("default");
    assert.deepEqual(await converted("default"), [
      "False",
      "NameTaken",
      "There is NodePool default already, which is not made of this object and stays as it is: remove one of them, or rename this object",
    ]);
    assert.deepEqual(await stage.names(ec2NodeClasses), []);
    await stage.delete(provisioners, "default");
    assert.deepEqual(await stage.pool("default"), before);
    await stage.apply(provisioner("default"));
    await stage.delete(nodePools, "default");
    assert.equal((await converted("default"))[0], "True");
    assert.deepEqual(await stage.names(ec2NodeClasses), ["default"]);
    assert.deepEqual(
      stage.bench.telemetry.happenings.map(({ type, reason }) => `${type} ${reason}`),
      ["Warning NameTaken", "Warning NameTaken", "Normal Converted"],
    );
  });

  it("makes nothing while it has a mistake, says where and what to do, and keeps what it had made", async () => {
    const launchTemplate = { providerRef: undefined, provider: { launchTemplate: "mine" } };
    await stage.apply(template(), provisioner("bad", launchTemplate), provisioner("default"));
    assert.deepEqual(await stage.names(nodePools), ["default"]);
    const [status, reason, message] = await converted("bad");
    assert.deepEqual([status, reason], ["False", "Invalid"]);
    assert.match(message ?? "", /^spec\.provider\.launchTemplate must not be set: /);
    const spec = (await stage.pool("default"))?.spec;
    await stage.change(provisioners, "default", { spec: { consolidation: { enabled: true } } });
    assert.match((await converted("default"))[2] ?? "", /^spec\.ttlSecondsAfterEmpty must not go with consolidation/);
    assert.deepEqual((await stage.pool("default"))?.spec, spec);
  });

  it("says what the API does not take", async () => {
    await stage.apply(template(), provisioner("default", { labels: { "kubernetes.io/hostname": "a" } }));
    const [status, , message] = await converted("default");
    assert.equal(status, "False");
    assert.match(message ?? "", /kubernetes\.io\/hostname/);
  });

  it("shares a template with others, each with a node class of its own", async () => {
    const dense = { kubeletConfiguration: { maxPods: 250 } };
    await stage.apply(template(), provisioner("default"), provisioner("dense", dense));
    assert.deepEqual(await stage.names(ec2NodeClasses), ["default", "dense"]);
    assert.deepEqual((await stage.nodeClass("dense"))?.spec.kubelet, { maxPods: 250 });
    assert.equal((await stage.nodeClass("default"))?.spec.kubelet, undefined);
    assert.match((await stage.condition(nodeTemplates, "shared"))?.message ?? "", /: default, dense$/);
    await stage.apply(template({ context: "x" }));
    assert.deepEqual(
      [(await stage.nodeClass("default"))?.spec.context, (await stage.nodeClass("dense"))?.spec.context],
      ["x", "x"],
    );
  });

  it("waits for its template, and keeps what it had made when that goes", async () => {
    await stage.apply(provisioner("default"));
    const missing =
      "spec.providerRef.name must name an AWSNodeTemplate that there is: create shared, or refer to another.";
    assert.deepEqual(await converted("default"), ["False", "Invalid", missing]);
    await stage.apply(template());
    assert.equal((await converted("default"))[0], "True");
    await stage.delete(nodeTemplates, "shared");
    assert.deepEqual(await converted("default"), ["False", "Invalid", missing]);
    assert.deepEqual([await stage.names(nodePools), await stage.names(ec2NodeClasses)], [["default"], ["default"]]);
  });

  it("may say all by itself, or nothing but a name", async () => {
    const provider = { instanceProfile: "p", subnetSelector: { Name: "private" }, tags: { team: "a" } };
    await stage.apply(provisioner("inline", { providerRef: undefined, provider }));
    await stage.apply({ apiVersion: "karpenter.sh/v1alpha5", kind: "Provisioner", metadata: { name: "empty" } });
    const inline = (await stage.nodeClass("inline"))?.spec;
    assert.deepEqual([inline?.subnetSelectorTerms, inline?.tags], [[{ tags: { Name: "private" } }], { team: "a" }]);
    const terms = [{ tags: { "karpenter.sh/discovery": "demo" } }, { tags: { "kubernetes.io/cluster/demo": "*" } }];
    assert.deepEqual((await stage.nodeClass("empty"))?.spec.subnetSelectorTerms, terms);
    assert.equal((await stage.nodeClass("empty"))?.spec.role, "KarpenterNodeRole-demo");
  });

  it("of an earlier version keeps the meaning of that, though the API tells it in another", async () => {
    await stage.apply({
      apiVersion: "karpenter.sh/v1alpha4",
      kind: "Provisioner",
      metadata: { name: "old" },
      spec: { instanceTypes: ["m5.large"], provider: { instanceProfile: "p", capacityTypes: ["spot"] } },
    });
    const pool = await stage.pool("old");
    assert.deepEqual(pool?.spec.template.spec.requirements.slice(0, 2), [
      isIn(instanceType, "m5.large"),
      isIn(capacityType, "spot"),
    ]);
    const { "karpenter.sh/default-requirements": keys } = annotationsOf(pool);
    assert.equal(keys, `${instanceType},${capacityType},kubernetes.io/os,kubernetes.io/arch`);
    await stage.apply({
      apiVersion: "karpenter.sh/v1alpha5",
      kind: "Provisioner",
      metadata: { name: "old" },
      spec: { instanceTypes: null, provider: { instanceProfile: "p", capacityTypes: null } },
    });
    const { "karpenter.sh/default-requirements": none } = annotationsOf(await stage.pool("old"));
    assert.equal(none, undefined);
  });

  for (const { apiVersion, spec, requirements, consolidateAfter } of forms) {
    it(`of ${apiVersion} is carried out as articles print it: ${Object.keys(spec).join(", ")}`, async () => {
      const isNamespaced = apiVersion.startsWith("provisioning.");
      const metadata = { name: "default", ...(isNamespaced ? { namespace: "default" } : {}) };
      await stage.apply({ apiVersion, kind: "Provisioner", metadata, spec });
      const resource = isNamespaced ? firstProvisioners : provisioners;
      assert.equal((await stage.condition(resource, "default"))?.status, "True");
      const pool = await stage.pool("default");
      assert.deepEqual(pool?.spec.template.spec.requirements, requirements);
      assert.equal(pool?.spec.disruption.consolidateAfter, consolidateAfter);
      // All that these versions say gives way to pods.
      const keys = requirements.filter(({ key }) => key !== "topology.kubernetes.io/region").map(({ key }) => key);
      assert.equal(annotationsOf(pool)["karpenter.sh/default-requirements"], keys.join());
      assert.equal(annotationsOf(pool)["karpenter.sh/provisioner-name"], "default");
    });
  }

  it("leaves its pool behind as it is, for whoever wants to go on with that", async () => {
    await stage.apply(template(), provisioner("default"));
    const before = await stage.pool("default");
    await stage.orphan(provisioners, "default");
    const [pool, nodeClass] = [await stage.pool("default"), await stage.nodeClass("default")];
    assert.deepEqual(await stage.names(provisioners), []);
    assert.deepEqual([pool?.metadata.uid, pool?.spec], [before?.metadata.uid, before?.spec]);
    assert.deepEqual([pool?.metadata.ownerReferences ?? [], nodeClass?.metadata.ownerReferences ?? []], [[], []]);
    await stage.change(nodePools, "default", { spec: { weight: 9 } });
    assert.equal((await stage.pool("default"))?.spec.weight, 9);
    await stage.apply(first("web", {}));
    await stage.orphan(firstProvisioners, "web");
    assert.deepEqual([await stage.names(firstProvisioners), await stage.names(nodePools)], [[], ["default", "web"]]);
  });

  it("of the first months is in a namespace, may have alternatives, and takes its pools with it", async () => {
    const region = "us-west-2";
    const constraints = [
      { type: "spot", region, zones: ["a", "b"], instanceTypes: ["c5.large"] },
      { type: "on-demand", region, zones: ["a"], instanceTypes: ["m5.large"] },
    ];
    await stage.apply(first("web", { constraints, ttlSeconds: 30 }));
    assert.deepEqual(
      [await stage.names(nodePools), await stage.names(ec2NodeClasses)],
      [
        ["web", "web-2"],
        ["web", "web-2"],
      ],
    );
    assert.deepEqual((await zonesOf("web"))?.slice(0, 2), [
      isIn("topology.kubernetes.io/region", region),
      isIn(zone, "us-west-2a", "us-west-2b"),
    ]);
    const annotations = annotationsOf(await stage.pool("web-2"));
    assert.equal(annotations["karpenter.sh/provisioner-name"], "web");
    assert.equal((await stage.condition(firstProvisioners, "web"))?.status, "True");
    await stage.apply(first("web", { constraints: constraints.slice(0, 1), ttlSeconds: 30 }));
    assert.deepEqual([await stage.names(nodePools), await stage.names(ec2NodeClasses)], [["web"], ["web"]]);
    await stage.delete(firstProvisioners, "web");
    assert.deepEqual(
      [await stage.names(nodePools), await stage.names(ec2NodeClasses), await stage.names(firstProvisioners)],
      [[], [], []],
    );
  });

  it("of the first months leaves the pool of another namespace, or of today, alone", async () => {
    await stage.apply(ownPool("mine"), template(), provisioner("default"));
    await stage.apply(first("mine", {}), first("default", {}));
    assert.deepEqual(
      [
        (await stage.condition(firstProvisioners, "mine"))?.reason,
        (await stage.condition(firstProvisioners, "default"))?.reason,
      ],
      ["NameTaken", "NameTaken"],
    );
    await stage.delete(firstProvisioners, "mine");
    await stage.delete(firstProvisioners, "default");
    assert.deepEqual(await stage.names(nodePools), ["default", "mine"]);
  });

  it("is found as it was by whoever leads next, and what happened meanwhile is caught up with", async () => {
    await stage.apply(template(), provisioner("default"), first("web", {}));
    await stage.stopTranslator();
    stage.writes.length = 0;
    await stage.start();
    assert.deepEqual(stage.writes, []);
    await stage.stopTranslator();
    await stage.delete(firstProvisioners, "web");
    await stage.apply(provisioner("default", { weight: 3 }));
    assert.deepEqual(await stage.names(nodePools), ["default", "web"]);
    await stage.start();
    assert.deepEqual(await stage.names(nodePools), ["default"]);
    assert.equal((await stage.pool("default"))?.spec.weight, 3);
  });

  it("does not touch a copy that somebody made of its pool", async () => {
    await stage.apply(template(), provisioner("default"));
    const pool = await stage.pool("default");
    const { annotations } = pool?.metadata ?? {};
    await stage.apply({ ...ownPool("copy"), metadata: { name: "copy", annotations } });
    await stage.apply(provisioner("default", { weight: 2 }));
    assert.deepEqual(await stage.names(nodePools), ["copy", "default"]);
  });

  it("comes to rest", async () => {
    await stage.apply(
      template(),
      provisioner("default"),
      provisioner("bad", { weight: 3, consolidation: { enabled: true } }),
    );
    stage.writes.length = 0;
    await stage.bench.clock.advance(3_600_000);
    assert.deepEqual(stage.writes, []);
  });
});

describe("a cluster without the old kinds", () => {
  const definitions = {
    group: "apiextensions.k8s.io",
    version: "v1",
    plural: "customresourcedefinitions",
    kind: "CustomResourceDefinition",
    isNamespaced: false,
  };
  const legacy = [provisionerDefinition, firstProvisionerDefinition, nodeTemplateDefinition];
  let stage: TranslatorStage;
  beforeEach(async () => {
    stage = new TranslatorStage();
    for (const { metadata } of legacy) await stage.delete(definitions, metadata.name);
    await stage.start();
  });
  afterEach(() => stage.stop());

  const linesOf = () => stage.bench.telemetry.lines.map(({ message }) => message);

  it("hears nothing of them, and is asked seldom", async () => {
    const requests: string[] = [];
    const { transport } = stage.bench.embedded;
    const send = transport.send.bind(transport);
    transport.send = (request) => {
      requests.push(request.path);
      return send(request);
    };
    await stage.bench.clock.advance(3_600_000);
    assert.deepEqual(linesOf(), []);
    const asked = requests.filter((path) => path.includes("provisioners") || path.includes("awsnodetemplates"));
    assert.ok(asked.length > 0 && asked.length < 1_000, String(asked.length));
  });

  it("can have them later", async () => {
    stage.bench.load(...(legacy as object[]));
    await stage.apply(template(), provisioner("default"));
    await stage.bench.clock.advance(60_000);
    assert.deepEqual(await stage.names(nodePools), ["default"]);
    assert.deepEqual(linesOf(), []);
  });

  it("can have those of the Go Karpenter, whose conditions say less", async () => {
    const condition = {
      type: "object",
      required: ["status", "type"],
      properties: Object.fromEntries(
        ["lastTransitionTime", "message", "reason", "severity", "status", "type"].map((name) => [
          name,
          { type: "string" },
        ]),
      ),
    };
    const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    const status = { type: "object", properties: { conditions: { type: "array", items: condition } } };
    const old = (definition: (typeof legacy)[number], statusSchema: object) => ({
      ...definition,
      spec: {
        ...definition.spec,
        versions: [
          {
            ...definition.spec.versions[0],
            schema: { openAPIV3Schema: { type: "object", properties: { spec: open, status: statusSchema } } },
          },
        ],
      },
    });
    stage.bench.load(old(provisionerDefinition, status), old(nodeTemplateDefinition, { type: "object" }));
    await stage.apply(template(), provisioner("default"));
    await stage.bench.clock.advance(60_000);
    assert.equal((await stage.condition(provisioners, "default"))?.status, "True");
    stage.writes.length = 0;
    await stage.bench.clock.advance(3_600_000);
    assert.ok(stage.writes.length < 20, stage.writes.join());
    assert.deepEqual(linesOf(), []);
  });
});
