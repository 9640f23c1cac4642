import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeRequirement } from "../model/requirements.ts";
import { describeProblem } from "./problem.ts";
import { readStorageClass, readVolume, readVolumeClaim } from "./read-volumes.ts";

const metadata = { name: "data" };

describe("readVolumeClaim", () => {
  it("reads a claim that is bound, and one that is not", () => {
    const annotations = { "pv.kubernetes.io/bind-completed": "yes" };
    const bound = {
      metadata: { ...metadata, namespace: "n", annotations },
      spec: { storageClassName: "", volumeName: "pv-1", resources: { requests: { storage: "1.5Ki" } } },
    };
    assert.deepEqual(readVolumeClaim(bound), {
      value: {
        namespace: "n",
        name: "data",
        storageClassName: "",
        storage: 1_536,
        volumeName: "pv-1",
        isBindCompleted: true,
        isLost: false,
        isDeleting: false,
      },
    });
    const old = {
      metadata: {
        ...metadata,
        deletionTimestamp: "x",
        annotations: { "volume.beta.kubernetes.io/storage-class": "gp2" },
      },
      status: { phase: "Lost" },
    };
    assert.deepEqual(readVolumeClaim(old), {
      value: {
        namespace: "default",
        name: "data",
        storageClassName: "gp2",
        storage: 0,
        volumeName: "",
        isBindCompleted: false,
        isLost: true,
        isDeleting: true,
      },
    });
  });
});

describe("readVolume", () => {
  it("reads where it can be attached and by whom", () => {
    const nodeSelectorTerms = [
      { matchExpressions: [{ key: "failure-domain.beta.kubernetes.io/zone", operator: "In", values: ["a"] }] },
      { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: ["node-1"] }] },
    ];
    const spec = { csi: { driver: "d" }, nodeAffinity: { required: { nodeSelectorTerms } } };
    assert.deepEqual(readVolume({ metadata, spec }), {
      value: {
        name: "data",
        nodeTerms: [
          new Map([["topology.kubernetes.io/zone", makeRequirement("In", ["a"])]]),
          new Map([["kubernetes.io/hostname", makeRequirement("In", ["node-1"])]]),
        ],
        driver: "d",
        isLocal: false,
        isDeleting: false,
      },
    });
  });

  it("knows old plugins, local disks and what needs no attaching", () => {
    const facts = [{ awsElasticBlockStore: {} }, { local: { path: "/" } }, { hostPath: {} }, { nfs: {} }].map(
      (spec) => {
        const read = readVolume({ metadata, spec });
        return read.problems === undefined ? [read.value.driver, read.value.isLocal] : read.problems;
      },
    );
    assert.deepEqual(facts, [
      ["ebs.csi.aws.com", false],
      ["", true],
      ["", true],
      ["", false],
    ]);
  });

  it("does not take a volume that fits nowhere for one that fits anywhere", () => {
    const spec = { nodeAffinity: { required: { nodeSelectorTerms: [{}] } } };
    assert.deepEqual(readVolume({ metadata, spec }).problems?.map(describeProblem), [
      "PersistentVolume data: spec.nodeAffinity.required.nodeSelectorTerms must have a term that some node could match, found none.",
    ]);
  });
});

describe("readStorageClass", () => {
  it("binds at once unless told to wait, and translates old provisioners", () => {
    const provisioners = [
      "aws-ebs",
      "gce-pd",
      "azure-disk",
      "azure-file",
      "cinder",
      "vsphere-volume",
      "portworx-volume",
      "other",
    ];
    const drivers = provisioners.map((name) => {
      const read = readStorageClass({ metadata, provisioner: `kubernetes.io/${name}` });
      return read.problems ?? read.value.driver;
    });
    assert.deepEqual(drivers, [
      "ebs.csi.aws.com",
      "pd.csi.storage.gke.io",
      "disk.csi.azure.com",
      "file.csi.azure.com",
      "cinder.csi.openstack.org",
      "csi.vsphere.vmware.com",
      "pxd.portworx.com",
      "kubernetes.io/other",
    ]);
  });

  it("reads where its volumes may be", () => {
    const allowedTopologies = [
      { matchLabelExpressions: [{ key: "failure-domain.beta.kubernetes.io/zone", values: ["a", "b"] }] },
    ];
    const wire = { metadata, provisioner: "x", volumeBindingMode: "WaitForFirstConsumer", allowedTopologies };
    assert.deepEqual(readStorageClass(wire), {
      value: {
        name: "data",
        driver: "x",
        bindsImmediately: false,
        allowedTopologies: [new Map([["topology.kubernetes.io/zone", makeRequirement("In", ["a", "b"])]])],
        isDefault: false,
        createdAt: 0,
      },
    });
    assert.deepEqual(readStorageClass({ ...wire, allowedTopologies: [{}] }).problems?.map(describeProblem), [
      "StorageClass data: allowedTopologies[0] must have expressions that some node could match.",
    ]);
  });

  it("reads whether it is the default, and since when it exists", () => {
    for (const group of ["storageclass", "storageclass.beta"]) {
      const annotations = { [`${group}.kubernetes.io/is-default-class`]: "true" };
      const read = readStorageClass({
        metadata: { ...metadata, annotations, creationTimestamp: "2026-01-01T00:00:00Z" },
        provisioner: "x",
      });
      assert.deepEqual(read.problems ?? [read.value.isDefault, read.value.createdAt], [true, Date.UTC(2026, 0, 1)]);
    }
  });
});
