import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { parse as parseToml } from "smol-toml";
import {
  bootstrapInput,
  hostileText,
  plain,
  problemOf,
  textOf,
  unregistered,
} from "../../../../test/support/bootstrap-input.ts";
import { makeUserData } from "./make-user-data.ts";

/** Without the prototypes that the parser leaves out. */
function tomlOf(text: string): Record<string, unknown> {
  return structuredClone(parseToml(text, { integersAsBigInt: "asNeeded" })) as Record<string, unknown>;
}

describe("user data for Bottlerocket", () => {
  it("are the user's settings under ours", () => {
    const userData = `
[settings.kubernetes]
unknown-setting = "unknown"
api-server = "replaced"
cloud-provider = "external"
max-pods = 9999999999
[settings.kubernetes.eviction-hard]
"memory.available" = "12%"
[settings.kubernetes.node-labels]
own = "own"
a = "replaced"
[settings.kubernetes.node-taints]
gone = ["me:NoSchedule"]
[settings.network]
hosts = [["10.0.0.0", ["a", "b"]]]
[settings.made-up]
float = 1.0
big = 9223372036854775807
[other]
x = 1
`;
    const taints = [
      { key: "k", value: "1", effect: "NoSchedule" } as const,
      { key: "k", value: "2", effect: "NoExecute" } as const,
      unregistered,
    ];
    const kubelet = { ...plain.kubelet, config: { imageGCLowThresholdPercent: 70, evictionMaxPodGracePeriod: 60 } };
    const result = makeUserData(bootstrapInput("Bottlerocket", { userData, taints, kubelet }));
    assert.ok("text" in result);
    assert.deepEqual(result.ignored, ["other", "settings.kubernetes.unknown-setting"]);
    assert.match(result.text, /float = 1\.0\n/);
    assert.deepEqual(tomlOf(result.text), {
      settings: {
        kubernetes: {
          "api-server": "https://test",
          "cloud-provider": "external",
          "cluster-certificate": "Y2EtYnVuZGxlCg==",
          "cluster-name": "test",
          "cluster-dns-ip": "10.0.100.10",
          "max-pods": 110,
          "eviction-hard": { "memory.available": "12%" },
          "eviction-max-pod-grace-period": 60,
          "image-gc-low-threshold-percent": "70",
          "node-labels": { own: "own", a: "b", "karpenter.sh/capacity-type": "spot" },
          "node-taints": { k: ["1:NoSchedule", "2:NoExecute"], "karpenter.sh/unregistered": [":NoExecute"] },
        },
        network: { hosts: [["10.0.0.0", ["a", "b"]]] },
        "made-up": { float: 1, big: 9223372036854775807n },
      },
    });
  });

  it("mount the disks of the machine, and say where for versions that do not know", () => {
    const bindFor = (imageVersion: string | undefined): unknown => {
      const userData = "[settings.bootstrap-commands.own]\nmode = 'once'";
      const made = bootstrapInput("Bottlerocket", { instanceStorePolicy: "RAID0", imageVersion, userData });
      const { settings } = tomlOf(textOf(made)) as {
        settings: Record<string, Record<string, { commands: string[][] }>>;
      };
      assert.deepEqual(Object.keys(settings["bootstrap-commands"] ?? {}), ["own", "000-mount-instance-storage"]);
      return settings["bootstrap-commands"]?.["000-mount-instance-storage"]?.commands[1]?.length;
    };
    assert.deepEqual(["latest", "1.46.0", "2.0.0", "1.45.9", "1.46", undefined].map(bindFor), [3, 3, 3, 7, 7, 7]);
  });

  it("keep every text the same text", () => {
    const value = fc.oneof(hostileText, fc.string({ unit: "binary" }));
    const kept = fc.dictionary(value, value).map((texts) => new Map(Object.entries(texts)));
    fc.assert(
      fc.property(kept, hostileText, (labels, name) => {
        const made = bootstrapInput("Bottlerocket", {
          labels,
          clusterName: name,
          taints: [{ key: name, value: name, effect: "NoExecute" }],
          kubelet: { ...plain.kubelet, kubeReserved: new Map([[name, name]]) },
        });
        const { kubernetes } = tomlOf(textOf(made)).settings as Record<string, Record<string, unknown>>;
        assert.deepEqual(new Map(Object.entries(kubernetes?.["node-labels"] ?? {})), labels);
        assert.equal(kubernetes?.["cluster-name"], name);
        assert.deepEqual(kubernetes?.["node-taints"], { [name]: [`${name}:NoExecute`] });
        assert.deepEqual(kubernetes?.["kube-reserved"], { [name]: name });
      }),
    );
  });

  it("are none when the user's are no TOML, or of another shape, and the reason quotes none of it", () => {
    const problemWith = (userData: string): string => problemOf(bootstrapInput("Bottlerocket", { userData }));
    assert.equal(
      problemWith("[settings]\nsecret = hunter2"),
      "the user data of a Bottlerocket node class must be TOML, and are not at line 2, column 10",
    );
    assert.match(problemWith("#!/bin/bash\necho"), /must be TOML/);
    assert.match(problemWith("__proto__.x = 1"), /must be TOML/);
    assert.match(problemWith("settings = 1"), /settings in the user data must be a table/);
    assert.match(problemWith("[settings]\nkubernetes = []"), /settings.kubernetes in the user data must be a table/);
    assert.match(
      problemWith("[settings.kubernetes]\nevent-qps = '1'"),
      /event-qps in the user data must be an integer/,
    );
  });
});
