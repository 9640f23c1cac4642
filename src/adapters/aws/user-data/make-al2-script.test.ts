import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import {
  bootstrapInput,
  lastOf,
  partsOf,
  plain,
  problemOf,
  textOf,
  unregistered,
} from "../../../../test/support/bootstrap-input.ts";

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
    const text = textOf(
      bootstrapInput("AL2", { userData: "#!/bin/sh\necho hello", kubelet, instanceStorePolicy: "RAID0" }),
    );
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
    assert.deepEqual(partsOf(bootstrapInput("AL2", { userData }))[0], {
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
        bootstrapInput("AL2", { clusterName: name, facts: { ...plain.facts, endpoint: name, caBundle: name } }),
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
        assert.match(problemOf(bootstrapInput(family, { labels: new Map([["k", hostile]]) })), /--node-labels/);
        assert.match(problemOf(bootstrapInput(family, { labels: new Map([[hostile, "v"]]) })), /--node-labels/);
        assert.match(
          problemOf(bootstrapInput(family, { taints: [{ ...unregistered, value: hostile }] })),
          /--register-with-taints/,
        );
        assert.match(problemOf(bootstrapInput(family, { kubelet })), /--system-reserved/);
        assert.match(problemOf(bootstrapInput(family, { kubelet: config })), /--eviction-hard/);
      }
      assert.match(problemOf(bootstrapInput("AL2023", { labels: new Map([["k", hostile]]) })), /--node-labels/);
    }
  });
});
