import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { parse as parseYaml } from "yaml";
import {
  bootstrapInput,
  configType,
  hostileText,
  lastOf,
  plain,
  problemOf,
  shellType,
  typesOf,
  unregistered,
} from "../../../../test/support/bootstrap-input.ts";

describe("user data for AL2023", () => {
  const userConfig = "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec: {}\n";

  it("tell nodeadm about the cluster and the kubelet", () => {
    const kubelet = {
      config: { maxPods: 5, kubeReserved: { cpu: "expression" }, registerWithTaints: [], featureGates: { A: true } },
      maxPods: 42,
      clusterDns: [],
      kubeReserved: new Map(),
      systemReserved: new Map([["cpu", "100m"]]),
    };
    const taints = [{ key: "a", value: "b", effect: "NoSchedule" } as const, unregistered];
    assert.deepEqual(parseYaml(lastOf(bootstrapInput("AL2023", { kubelet, taints, instanceStorePolicy: "RAID0" }))), {
      apiVersion: "node.eks.aws/v1alpha1",
      kind: "NodeConfig",
      spec: {
        cluster: {
          name: "test",
          apiServerEndpoint: "https://test",
          certificateAuthority: "Y2EtYnVuZGxlCg==",
          cidr: "10.100.0.0/16",
        },
        instance: { localStorage: { strategy: "RAID0" } },
        kubelet: {
          config: {
            maxPods: 42,
            featureGates: { A: true },
            clusterDNS: ["10.0.100.10"],
            systemReserved: { cpu: "100m" },
            registerWithTaints: [
              { key: "a", value: "b", effect: "NoSchedule" },
              { key: "karpenter.sh/unregistered", effect: "NoExecute" },
            ],
          },
          flags: ['--node-labels="a=b,karpenter.sh/capacity-type=spot"'],
        },
      },
    });
  });

  it("come after the user's own: parts, a NodeConfig, or a script", () => {
    const archive = `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n\n--B\nContent-Type: ${configType}\n\n${userConfig}--B--`;
    assert.deepEqual(
      [undefined, " \n", archive, userConfig, "#!/bin/bash\necho hi: there", "echo hi"].map((userData) =>
        typesOf(bootstrapInput("AL2023", { userData })),
      ),
      [
        [configType],
        [configType],
        [configType, configType],
        [configType, configType],
        [shellType, configType],
        [shellType, configType],
      ],
    );
  });

  it("keep every text the same text in every version of YAML", () => {
    const value = fc.oneof(
      hostileText,
      fc.string({ unit: "binary" }),
      fc.constantFrom("yes", "0777", "1:30", "<<", "2001-01-01", ".inf", "null", "\u0085\u2028\u00ad\ufeff"),
    );
    fc.assert(
      fc.property(fc.dictionary(value, value), hostileText, (config, name) => {
        const kubelet = { ...plain.kubelet, config: { own: config } };
        const yaml = lastOf(
          bootstrapInput("AL2023", { kubelet, clusterName: name, taints: [{ ...unregistered, value: name }] }),
        );
        assert.match(yaml, /^[\n\x20-\x7e]*$/);
        for (const version of ["1.1", "1.2"] as const) {
          const { spec } = parseYaml(yaml, { version, merge: true });
          assert.deepEqual({ ...spec.kubelet.config.own }, { ...config });
          assert.equal(spec.cluster.name, name);
          assert.equal(spec.kubelet.config.registerWithTaints[0].value, name);
        }
      }),
    );
  });

  it("are none while the addresses of services are unknown", () => {
    assert.match(
      problemOf(bootstrapInput("AL2023", { facts: { ...plain.facts, serviceCidr: undefined } })),
      /eks:DescribeCluster/,
    );
  });

  it("are none with YAML that unfolds without end, or a NodeConfig that is not YAML", () => {
    const bomb = ["a0: &a0 [x,x,x,x,x,x,x,x,x]"];
    for (let level = 1; level < 9; level += 1) {
      const aliases = Array.from({ length: 9 }, () => `*a${level - 1}`).join(",");
      bomb.push(`a${level}: &a${level} [${aliases}]`);
    }
    assert.match(problemOf(bootstrapInput("AL2023", { userData: bomb.join("\n") })), /unfolds too far/);
    assert.match(
      problemOf(bootstrapInput("AL2023", { userData: `${userConfig}secret: [` })),
      /are not YAML at line 4$/,
    );
    const part = (content: string): string =>
      `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n\n--B\nContent-Type: ${configType}\n\n${content}\n--B--`;
    assert.match(problemOf(bootstrapInput("AL2023", { userData: part("- a") })), /is not a mapping/);
    assert.match(problemOf(bootstrapInput("AL2023", { userData: part("secret: [") })), /is not YAML at line/);
    assert.match(problemOf(bootstrapInput("AL2023", { userData: part(bomb.join("\n")) })), /unfolds too far/);
    const deep = "[".repeat(16_000);
    assert.deepEqual(typesOf(bootstrapInput("AL2023", { userData: `#!/bin/sh\n${deep}` })), [shellType, configType]);
    assert.match(
      problemOf(bootstrapInput("AL2023", { userData: `a: ${deep}${"]".repeat(16_000)}` })),
      /unfolds too far/,
    );
  });
});
