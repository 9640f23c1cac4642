import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { bootstrapInput, hostileText, problemOf, textOf } from "../../../../test/support/bootstrap-input.ts";

describe("user data for Windows", () => {
  it("call the bootstrap script, after what the user brings along", () => {
    assert.equal(
      textOf(bootstrapInput("Windows2022", { userData: "Write-Host hello", instanceStorePolicy: "RAID0" })),
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
        const text = textOf(bootstrapInput("Windows2025", { clusterName: name }));
        assert.equal(read(text.slice(text.indexOf("-EKSClusterName ") + "-EKSClusterName ".length)), name);
      }),
    );
  });

  it("are none when a tag in them would end the script early", () => {
    assert.match(problemOf(bootstrapInput("Windows2019", { userData: "x\n</PowerShell>" })), /<powershell> tag/);
    assert.match(problemOf(bootstrapInput("Windows2019", { clusterName: "a</powershell>" })), /<powershell> tag/);
  });
});
