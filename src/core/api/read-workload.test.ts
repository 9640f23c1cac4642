import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Resources } from "../model/resources.ts";
import { isOptedOut, type Workload, type WorkloadKind } from "../model/workload.ts";
import { type AdmissionDefaults, readPriorityClass, readRuntimeClass } from "./admit-template.ts";
import { readContainerDefaults } from "./apply-limit-ranges.ts";
import type { Read } from "./problem.ts";
import { readWorkload } from "./read-workload.ts";
import { TemplateKeeper } from "./workload-template.ts";

const noDefaults: AdmissionDefaults = { limitRanges: [], priorityClasses: new Map(), runtimeClasses: new Map() };

function contentOf<T>(read: Read<T>): T {
  if (read.problems !== undefined) assert.fail(JSON.stringify(read.problems));
  return read.value;
}

interface Wire {
  readonly kind?: WorkloadKind;
  readonly metadata?: object;
  readonly spec?: object;
  /** Of the template. */
  readonly podSpec?: object;
  readonly status?: object;
  readonly defaults?: Partial<AdmissionDefaults>;
}

function read({ kind = "ReplicaSet", metadata, spec, podSpec, status, defaults }: Wire): Workload {
  const wire = {
    metadata: {
      name: "web",
      namespace: "shop",
      uid: "u",
      creationTimestamp: "2026-11-19T12:00:00Z",
      generation: 2,
      ...metadata,
    },
    spec: {
      template: {
        metadata: { labels: { app: "web" } },
        spec: { containers: [{ name: "c", resources: { requests: { cpu: "1" } } }], ...podSpec },
      },
      ...spec,
    },
    status: { observedGeneration: 2, ...status },
  };
  return contentOf(
    readWorkload(wire, { kind, templates: new TemplateKeeper(), defaults: { ...noDefaults, ...defaults } }),
  );
}

function demandOf(kind: WorkloadKind, spec: object, status: object = {}) {
  return read({ kind, spec, status }).demand;
}

function requestsOf({ template }: Workload): Resources {
  return template.spec.requests;
}

describe("reading a workload", () => {
  it("gives its identity and the pod that its template describes", () => {
    const { template, demand, ...workload } = read({ podSpec: { serviceAccountName: "shop" } });
    assert.deepEqual(workload, {
      kind: "ReplicaSet",
      namespace: "shop",
      name: "web",
      uid: "u",
      createdAt: Date.parse("2026-11-19T12:00:00Z"),
      isDeleting: false,
      controller: undefined,
      isOptedOut: false,
      isObserved: true,
    });
    assert.equal(template.labels.get("app"), "web");
    assert.equal(template.namespace, "shop");
    assert.equal(template.serviceAccountName, "shop");
    assert.deepEqual(requestsOf(read({})), new Map(Object.entries({ cpu: 1_000, pods: 1 })));
    assert.deepEqual(template.owners, [
      { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "u", isController: true },
    ]);
  });

  it("knows its controller, whether it is deleted, and whether its controller has seen it", () => {
    const owner = { apiVersion: "apps/v1", kind: "Deployment", name: "web", uid: "d", controller: true };
    assert.equal(read({ metadata: { ownerReferences: [owner] } }).controller?.uid, "d");
    assert.equal(read({ metadata: { ownerReferences: [{ ...owner, controller: false }] } }).controller, undefined);
    assert.equal(read({ metadata: { deletionTimestamp: "2026-11-19T12:00:01Z" } }).isDeleting, true);
    assert.equal(read({ status: { observedGeneration: 1 } }).isObserved, false);
    assert.equal(read({ kind: "Job" }).isObserved, false);
    assert.equal(read({ kind: "Job", status: { startTime: "2026-11-19T12:00:01Z" } }).isObserved, true);
  });

  it("says what is wrong with its template, and where", () => {
    const wire = { metadata: { name: "web" }, spec: { template: { spec: { containers: [] } } } };
    const { problems } = readWorkload(wire, { kind: "Job", templates: new TemplateKeeper(), defaults: noDefaults });
    assert.deepEqual(
      problems?.map(({ object, field }) => [object, field]),
      [["Job default/web", "spec.template.spec.containers"]],
    );
    assert.notEqual(
      readWorkload(7, { kind: "Job", templates: new TemplateKeeper(), defaults: noDefaults }).problems,
      undefined,
    );
  });

  it("knows the annotation that opts out, on a workload or a namespace", () => {
    const metadata = { annotations: { "karpenter.sh/look-ahead": "false" } };
    assert.equal(read({ metadata }).isOptedOut, true);
    assert.equal(read({ metadata: { annotations: { "karpenter.sh/look-ahead": "true" } } }).isOptedOut, false);
    assert.equal(isOptedOut(new Map(), new Map([["karpenter.sh/look-ahead", "false"]])), true);
    assert.equal(isOptedOut(new Map([["karpenter.sh/look-ahead", "false"]]), new Map()), true);
    assert.equal(isOptedOut(new Map(), new Map()), false);
  });
});

describe("what a workload asks for", () => {
  it("are its replicas, one where it does not say", () => {
    for (const kind of ["Deployment", "ReplicaSet", "ReplicationController"] as const) {
      assert.deepEqual(demandOf(kind, { replicas: 7 }), { kind: "replicas", replicas: 7 });
      assert.deepEqual(demandOf(kind, {}), { kind: "replicas", replicas: 1 });
      assert.deepEqual(demandOf(kind, { replicas: 0 }), { kind: "replicas", replicas: 0 });
    }
  });

  it("is nothing for a paused Deployment without a ReplicaSet, for gated pods and for another scheduler", () => {
    assert.equal(demandOf("Deployment", { paused: true, replicas: 3 }).kind, "none");
    assert.equal(read({ podSpec: { schedulingGates: [{ name: "example.com/wait" }] } }).demand.kind, "none");
    assert.equal(read({ podSpec: { schedulerName: "volcano" } }).demand.kind, "none");
    assert.equal(read({ podSpec: { schedulerName: "default-scheduler" } }).demand.kind, "replicas");
  });

  it("are the ordinals and claims of a StatefulSet", () => {
    const spec = {
      replicas: 5,
      ordinals: { start: 3 },
      podManagementPolicy: "Parallel",
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 } },
      volumeClaimTemplates: [
        {
          metadata: { name: "data" },
          spec: { storageClassName: "fast", resources: { requests: { storage: "1Ki" } } },
        },
        { metadata: { name: "log" }, spec: {} },
        { metadata: { name: "none" }, spec: { storageClassName: "" } },
        { metadata: { name: "old", annotations: { "volume.beta.kubernetes.io/storage-class": "gp2" } }, spec: {} },
      ],
    };
    assert.deepEqual(demandOf("StatefulSet", spec, { updateRevision: "web-2", currentRevision: "web-1" }), {
      kind: "ordinals",
      replicas: 5,
      start: 3,
      isParallel: true,
      available: Number.POSITIVE_INFINITY,
      claimTemplates: [
        { name: "data", storageClassName: "fast", storage: 1_024 },
        { name: "log", storageClassName: undefined, storage: 0 },
        { name: "none", storageClassName: "", storage: 0 },
        { name: "old", storageClassName: "gp2", storage: 0 },
      ],
      revision: "web-2",
      partition: 2,
      currentRevision: "web-1",
    });
  });

  it("is no revision of a StatefulSet whose controller has not seen its present template", () => {
    const demand = demandOf("StatefulSet", {}, { updateRevision: "web-1", observedGeneration: 1 });
    assert.equal(demand.kind === "ordinals" && demand.revision, "");
  });

  it("depends on the available pods of a StatefulSet with minReadySeconds", () => {
    const demand = demandOf("StatefulSet", { minReadySeconds: 60 }, { availableReplicas: 2 });
    assert.equal(demand.kind === "ordinals" && demand.available, 2);
  });
});

describe("what a Job asks for", () => {
  it("is as its spec and status say", () => {
    const spec = { parallelism: 4, completions: 20, backoffLimit: 2, completionMode: "Indexed" };
    const status = {
      succeeded: 3,
      failed: 1,
      uncountedTerminatedPods: { succeeded: ["a", "b"], failed: ["c"] },
      failedIndexes: "1,3-5,7",
    };
    assert.deepEqual(demandOf("Job", spec, status), {
      kind: "tasks",
      parallelism: 4,
      completions: 20,
      succeeded: 5,
      failed: 2,
      counted: new Set(["a", "b", "c"]),
      failedIndexes: 5,
      backoffLimit: 2,
      hasBackoffPerIndex: false,
      waitsForTerminating: false,
      wasSuspended: false,
    });
  });

  const tasks = (spec: object, status: object = {}) => {
    const demand = demandOf("Job", spec, status);
    return demand.kind === "tasks" ? demand : assert.fail(demand.kind);
  };

  it("is nothing while it is suspended or ends, or where another controller runs it", () => {
    assert.equal(demandOf("Job", { suspend: true }).kind, "none");
    assert.equal(demandOf("Job", { managedBy: "kueue.x-k8s.io/multikueue" }).kind, "none");
    assert.equal(demandOf("Job", { managedBy: "kubernetes.io/job-controller" }).kind, "tasks");
    for (const type of ["Complete", "Failed", "FailureTarget", "SuccessCriteriaMet"]) {
      assert.equal(demandOf("Job", {}, { conditions: [{ type, status: "True" }] }).kind, "none");
      assert.equal(demandOf("Job", {}, { conditions: [{ type, status: "False" }] }).kind, "tasks");
    }
  });

  it("has the defaults of the API server", () => {
    assert.equal(tasks({}).backoffLimit, 6);
    assert.equal(tasks({ backoffLimitPerIndex: 1 }).backoffLimit, 2 ** 31 - 1);
    assert.equal(tasks({ backoffLimitPerIndex: 1 }).hasBackoffPerIndex, true);
    assert.equal(tasks({ parallelism: 3 }).completions, undefined);
    assert.equal(tasks({ podReplacementPolicy: "Failed" }).waitsForTerminating, true);
    assert.equal(tasks({ podReplacementPolicy: "TerminatingOrFailed" }).waitsForTerminating, false);
    assert.equal(tasks({ podFailurePolicy: { rules: [] } }).waitsForTerminating, true);
  });

  it("tells that it was suspended", () => {
    assert.equal(tasks({}, { conditions: [{ type: "Suspended", status: "False" }] }).wasSuspended, true);
  });
});

describe("a template, as the API server admits its pods,", () => {
  it("has the defaults of LimitRanges", () => {
    const limits = [{ type: "Container", default: { cpu: "2", memory: "1Gi" }, defaultRequest: { memory: "512Mi" } }];
    const defaults = { limitRanges: [readContainerDefaults({ spec: { limits } })] };
    const containers = [{ name: "c" }, { name: "own", resources: { requests: { cpu: "1" } } }];
    const workload = read({ podSpec: { containers }, defaults });
    assert.deepEqual(requestsOf(workload), new Map(Object.entries({ cpu: 3_000, memory: 2 ** 30, pods: 1 })));
    assert.deepEqual(Object.fromEntries(workload.template.limits), { cpu: 4_000, memory: 2 ** 31 });
  });

  it("has the priority of its class, or of the default class", () => {
    const priorityClasses = new Map([
      ["high", contentOf(readPriorityClass({ metadata: { name: "high" }, value: 1_000 }))],
      ["usual", contentOf(readPriorityClass({ metadata: { name: "usual" }, value: 7, globalDefault: true }))],
    ]);
    const priorityOf = (podSpec: object) => {
      const { template } = read({ podSpec, defaults: { priorityClasses } });
      return [template.priorityClassName, template.spec.priority];
    };
    assert.deepEqual(priorityOf({ priorityClassName: "high" }), ["high", 1_000]);
    assert.deepEqual(priorityOf({}), ["usual", 7]);
    assert.deepEqual(priorityOf({ priorityClassName: "unknown" }), ["unknown", 0]);
  });

  it("has the overhead, selector and tolerations of its runtime class", () => {
    const runtimeClass = contentOf(
      readRuntimeClass({
        metadata: { name: "gvisor" },
        overhead: { podFixed: { cpu: "250m" } },
        scheduling: { nodeSelector: { sandbox: "gvisor" }, tolerations: [{ key: "sandbox", operator: "Exists" }] },
      }),
    );
    const podSpec = { runtimeClassName: "gvisor", nodeSelector: { disk: "ssd" }, tolerations: [{ key: "own" }] };
    const { spec } = read({ podSpec, defaults: { runtimeClasses: new Map([["gvisor", runtimeClass]]) } }).template;
    assert.equal(spec.requests.get("cpu"), 1_250);
    assert.deepEqual(Object.fromEntries(spec.nodeSelector), { disk: "ssd", sandbox: "gvisor" });
    assert.deepEqual(
      spec.tolerations.map(({ key }) => key),
      ["own", "sandbox"],
    );
  });
});
