import type { BootstrapInput } from "../aws-parts.ts";
import { kubeletFlags } from "./kubelet-flags.ts";
import { dnsAddressesOf } from "./kubelet-settings.ts";
import { UserDataProblem } from "./user-data-problem.ts";

/** Joins a machine with the script that the images of Windows have. */
export function makeWindowsScript(input: BootstrapInput): string {
  const { clusterName, facts, userData } = input;
  const [dns] = dnsAddressesOf(input);
  const call = [
    "& $EKSBootstrapScriptFile",
    `-EKSClusterName ${quote(clusterName)}`,
    `-APIServerEndpoint ${quote(facts.endpoint)}`,
    ...(facts.caBundle === "" ? [] : [`-Base64ClusterCA ${quote(facts.caBundle)}`]),
    `-KubeletExtraArgs ${quote(kubeletFlags(input).join(" "))}`,
    ...(dns === undefined ? [] : [`-DNSClusterIP ${quote(dns)}`]),
  ].join(" ");
  const body = [
    ...(userData === undefined || userData === "" ? [] : [userData]),
    '[string]$EKSBootstrapScriptFile = "$env:ProgramFiles\\Amazon\\EKS\\Start-EKSBootstrap.ps1"',
    call,
  ].join("\n");
  if (/<\s*\/?\s*powershell\b/i.test(body)) {
    throw new UserDataProblem(
      "the user data have a <powershell> tag in them: leave it out, it is put around all of it",
    );
  }
  return `<powershell>\n${body}\n</powershell>`;
}

/** One string to PowerShell, which takes curly quotes for straight ones. */
function quote(text: string): string {
  return `'${text.replace(/['\u2018-\u201b]/g, "$&$&")}'`;
}
