import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import fc from "fast-check";
import { parse as parseToml } from "smol-toml";
import { parse as parseYaml } from "yaml";
import type { BootstrapInput } from "../aws-parts.ts";
import { makeUserData } from "./make-user-data.ts";
import { type MimePart, mediaTypeOf, parseArchive } from "./mime-archive.ts";

const unregistered = { key: "karpenter.sh/unregistered", value: "", effect: "NoExecute" } as const;
const shellType = "text/x-shellscript";
const configType = "application/node.eks.aws";

function input(family: BootstrapInput["family"], more: Partial<BootstrapInput> = {}): BootstrapInput {
  return {
    family,
    clusterName: "test",
    facts: {
      endpoint: "https://test",
      caBundle: "Y2EtYnVuZGxlCg==",
      dnsAddress: "10.0.100.10",
      version: "1.36",
      serviceCidr: "10.100.0.0/16",
    },
    labels: new Map([
      ["karpenter.sh/capacity-type", "spot"],
      ["a", "b"],
    ]),
    taints: [unregistered],
    kubelet: { config: {}, maxPods: 110, clusterDns: [], kubeReserved: new Map(), systemReserved: new Map() },
    instanceStorePolicy: undefined,
    userData: undefined,
    imageVersion: undefined,
    ...more,
  };
}

const plain = input("AL2");

function textOf(made: BootstrapInput): string {
  const result = makeUserData(made);
  assert.ok("text" in result, "problem" in result ? result.problem : "");
  return result.text;
}

function problemOf(made: BootstrapInput): string {
  const result = makeUserData(made);
  return "problem" in result ? result.problem : "none";
}

/** Without the prototypes that the parser leaves out. */
function tomlOf(text: string): Record<string, unknown> {
  return structuredClone(parseToml(text, { integersAsBigInt: "asNeeded" })) as Record<string, unknown>;
}

const partsOf = (made: BootstrapInput): MimePart[] => parseArchive(textOf(made));
const typesOf = (made: BootstrapInput): string[] => partsOf(made).map(mediaTypeOf);
const lastOf = (made: BootstrapInput): string => partsOf(made).at(-1)?.content ?? "";

/** Strings with all that means something to some reader. */
const hostileText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "'",
        '"',
        "`",
        "$(id)",
        "\\",
        "$x",
        "\u2019",
        "\u201b",
        "%n",
        "#",
        ": ",
        "- ",
        "&a *a",
        "--//",
        "<",
        "!",
        "yes",
        "~",
      ),
      fc.string({ unit: "grapheme-ascii" }),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((pieces) => `x${pieces.join("")}`);

describe("user data for AL2", () => {
  it("call the bootstrap script, after what the user brings along", () => {
    const kubelet = {
      config: {
        podsPerCore: 2,
        evictionHard: { "memory.available": "5%" },
        imageGCHighThresholdPercent: 80,
        cpuCFSQuota: false,
      },
      maxPods: 110,
      clusterDns: ["fd00::a"],
      kubeReserved: new Map([
        ["memory", "1Gi"],
        ["cpu", "100m"],
      ]),
      systemReserved: new Map(),
    };
    const text = textOf(input("AL2", { userData: "#!/bin/sh\necho hello", kubelet, instanceStorePolicy: "RAID0" }));
    assert.equal(
      text,
      `MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="//"

--//
Content-Type: text/x-shellscript; charset="us-ascii"

#!/bin/sh
echo hello
--//
Content-Type: text/x-shellscript; charset="us-ascii"

#!/bin/bash -xe
exec > >(tee /var/log/user-data.log|logger -t user-data -s 2>/dev/console) 2>&1
/etc/eks/bootstrap.sh 'test' --apiserver-endpoint 'https://test' --b64-cluster-ca 'Y2EtYnVuZGxlCg==' \\
--ip-family ipv6 \\
--dns-cluster-ip 'fd00::a' \\
--use-max-pods false \\
--kubelet-extra-args '--node-labels="a=b,karpenter.sh/capacity-type=spot" --register-with-taints="karpenter.sh/unregistered:NoExecute" --max-pods=110 --pods-per-core=2 --kube-reserved="cpu=100m,memory=1Gi" --eviction-hard="memory.available<5%" --image-gc-high-threshold=80 --cpu-cfs-quota=false' \\
--local-disks raid0
--//--
`,
    );
  });

  it("keep the parts of the user, with their headers", () => {
    const userData =
      'Content-Type: multipart/mixed; boundary="B"\n\n--B\nContent-Type: text/cloud-config\nX-A: b\n\nx: y\n--B--';
    assert.deepEqual(partsOf(input("AL2", { userData }))[0], {
      headers: ["Content-Type: text/cloud-config", "X-A: b"],
      content: "x: y",
    });
  });

  const hasBash = spawnSync("bash", ["-c", "true"]).status === 0;

  it("give the script exactly what it was meant to get, whatever the names are", { skip: !hasBash }, () => {
    const call = (script: string): string[] => {
      const stubbed = script.replace(/^exec .*$/m, "").replace("/etc/eks/bootstrap.sh", "bootstrap");
      const { status, stdout } = spawnSync("bash", ["-c", `bootstrap() { printf '%s\\0' "$@"; }\n${stubbed}`]);
      assert.equal(status, 0);
      return stdout.toString("utf8").split("\0").slice(0, -1);
    };
    const names = ["it's", "'; touch /x; '", "$(id)`id`", "a\\", "a'\\''b", '"', "*", "!!", "~", "ä\u2019"];
    for (const name of names) {
      const script = lastOf(
        input("AL2", { clusterName: name, facts: { ...plain.facts, endpoint: name, caBundle: name } }),
      );
      assert.equal(spawnSync("bash", ["-n"], { input: script }).status, 0);
      assert.deepEqual(call(script), [
        name,
        "--apiserver-endpoint",
        name,
        "--b64-cluster-ca",
        name,
        "--dns-cluster-ip",
        "10.0.100.10",
        "--use-max-pods",
        "false",
        "--kubelet-extra-args",
        '--node-labels="a=b,karpenter.sh/capacity-type=spot" --register-with-taints="karpenter.sh/unregistered:NoExecute" --max-pods=110',
      ]);
    }
  });

  it("cannot be told a flag that would not stay one", () => {
    for (const hostile of [
      "a'b",
      'a"b',
      "a b",
      "a,b=c",
      "$(id)",
      "a\nExecStartPre=/x",
      "ä",
      "a\\",
      "a`",
      "a=b",
      "a\u0000",
    ]) {
      const kubelet = { ...plain.kubelet, systemReserved: new Map([["cpu", hostile]]) };
      const config = { ...plain.kubelet, config: { evictionHard: { [hostile]: "5%" } } };
      for (const family of ["AL2", "Windows2022"] as const) {
        assert.match(problemOf(input(family, { labels: new Map([["k", hostile]]) })), /--node-labels/);
        assert.match(problemOf(input(family, { labels: new Map([[hostile, "v"]]) })), /--node-labels/);
        assert.match(
          problemOf(input(family, { taints: [{ ...unregistered, value: hostile }] })),
          /--register-with-taints/,
        );
        assert.match(problemOf(input(family, { kubelet })), /--system-reserved/);
        assert.match(problemOf(input(family, { kubelet: config })), /--eviction-hard/);
      }
      assert.match(problemOf(input("AL2023", { labels: new Map([["k", hostile]]) })), /--node-labels/);
    }
  });
});

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
    assert.deepEqual(parseYaml(lastOf(input("AL2023", { kubelet, taints, instanceStorePolicy: "RAID0" }))), {
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
        typesOf(input("AL2023", { userData })),
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
          input("AL2023", { kubelet, clusterName: name, taints: [{ ...unregistered, value: name }] }),
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
      problemOf(input("AL2023", { facts: { ...plain.facts, serviceCidr: undefined } })),
      /eks:DescribeCluster/,
    );
  });

  it("are none with YAML that unfolds without end, or a NodeConfig that is not YAML", () => {
    const bomb = ["a0: &a0 [x,x,x,x,x,x,x,x,x]"];
    for (let level = 1; level < 9; level += 1) {
      const aliases = Array.from({ length: 9 }, () => `*a${level - 1}`).join(",");
      bomb.push(`a${level}: &a${level} [${aliases}]`);
    }
    assert.match(problemOf(input("AL2023", { userData: bomb.join("\n") })), /unfolds too far/);
    assert.match(problemOf(input("AL2023", { userData: `${userConfig}secret: [` })), /are not YAML at line 4$/);
    const part = (content: string): string =>
      `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n\n--B\nContent-Type: ${configType}\n\n${content}\n--B--`;
    assert.match(problemOf(input("AL2023", { userData: part("- a") })), /is not a mapping/);
    assert.match(problemOf(input("AL2023", { userData: part("secret: [") })), /is not YAML at line/);
    assert.match(problemOf(input("AL2023", { userData: part(bomb.join("\n")) })), /unfolds too far/);
    const deep = "[".repeat(16_000);
    assert.deepEqual(typesOf(input("AL2023", { userData: `#!/bin/sh\n${deep}` })), [shellType, configType]);
    assert.match(problemOf(input("AL2023", { userData: `a: ${deep}${"]".repeat(16_000)}` })), /unfolds too far/);
  });
});

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
    const result = makeUserData(input("Bottlerocket", { userData, taints, kubelet }));
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
      const made = input("Bottlerocket", { instanceStorePolicy: "RAID0", imageVersion, userData });
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
        const made = input("Bottlerocket", {
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
    const problemWith = (userData: string): string => problemOf(input("Bottlerocket", { userData }));
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

describe("user data for Windows", () => {
  it("call the bootstrap script, after what the user brings along", () => {
    assert.equal(
      textOf(input("Windows2022", { userData: "Write-Host hello", instanceStorePolicy: "RAID0" })),
      `<powershell>
Write-Host hello
[string]$EKSBootstrapScriptFile = "$env:ProgramFiles\\Amazon\\EKS\\Start-EKSBootstrap.ps1"
& $EKSBootstrapScriptFile -EKSClusterName 'test' -APIServerEndpoint 'https://test' -Base64ClusterCA 'Y2EtYnVuZGxlCg==' -KubeletExtraArgs '--node-labels="a=b,karpenter.sh/capacity-type=spot" --register-with-taints="karpenter.sh/unregistered:NoExecute" --max-pods=110' -DNSClusterIP '10.0.100.10'
</powershell>`,
    );
  });

  it("keep a name one string, although PowerShell takes curly quotes for straight ones", () => {
    /** Reads a string as PowerShell does: any kind of single quote ends it, unless another follows at once. */
    const read = (text: string): string | undefined => {
      const literal =
        /^['\u2018-\u201b]((?:[^'\u2018-\u201b]|['\u2018-\u201b]{2})*)['\u2018-\u201b] -APIServerEndpoint /.exec(text);
      return literal?.[1]?.replace(/['\u2018-\u201b](['\u2018-\u201b])/g, "$1");
    };
    fc.assert(
      fc.property(hostileText, (name) => {
        const text = textOf(input("Windows2025", { clusterName: name }));
        assert.equal(read(text.slice(text.indexOf("-EKSClusterName ") + "-EKSClusterName ".length)), name);
      }),
    );
  });

  it("are none when a tag in them would end the script early", () => {
    assert.match(problemOf(input("Windows2019", { userData: "x\n</PowerShell>" })), /<powershell> tag/);
    assert.match(problemOf(input("Windows2019", { clusterName: "a</powershell>" })), /<powershell> tag/);
  });
});

describe("user data", () => {
  it("of a Custom node class are the user's, unchanged", () => {
    assert.deepEqual(makeUserData(input("Custom", { userData: "a\r\n--//" })), { text: "a\r\n--//", ignored: [] });
    assert.deepEqual(makeUserData(input("Custom")), { text: "", ignored: [] });
  });

  it("are none of names with line ends, addresses that are none, and settings of another type", () => {
    for (const family of ["AL2", "AL2023", "Bottlerocket", "Windows2022"] as const) {
      for (const end of ["\n", "\r", "\u0000", "\u0085", "\u2028"]) {
        assert.match(problemOf(input(family, { clusterName: `a${end}b` })), /CLUSTER_NAME/);
        assert.match(problemOf(input(family, { facts: { ...plain.facts, endpoint: `a${end}b` } })), /CLUSTER_ENDPOINT/);
      }
      assert.match(problemOf(input(family, { clusterName: "--help" })), /begin with a dash/);
      const clusterDns = ["10.0.0.1'; id"];
      assert.match(problemOf(input(family, { kubelet: { ...plain.kubelet, clusterDns } })), /not an IP address/);
      assert.match(problemOf(input(family, { userData: "x".repeat(40_000) })), /40000 bytes/);
    }
    const config = { evictionHard: { "memory.available": 5 } };
    assert.match(problemOf(input("AL2", { kubelet: { ...plain.kubelet, config } })), /must be a map of strings/);
  });
});
