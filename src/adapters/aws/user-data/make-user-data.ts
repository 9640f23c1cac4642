import type { BootstrapInput } from "../aws-parts.ts";
import type { ImageFamily } from "../node-class/ec2-node-class.ts";
import { mostUserDataBytes, tooLong } from "./encode-user-data.ts";
import { makeAl2Script } from "./make-al2-script.ts";
import { makeBottlerocketSettings } from "./make-bottlerocket-settings.ts";
import { makeNodeConfig } from "./make-node-config.ts";
import { makeWindowsScript } from "./make-windows-script.ts";
import { writeArchive } from "./mime-archive.ts";
import { nodeConfigPart, ownParts, ownPartsWithNodeConfig, shellPart } from "./own-parts.ts";
import { checkOneLine, UserDataProblem } from "./user-data-problem.ts";

export type UserData =
  /** `ignored` names settings of the user that the machine would not understand and that were left out. */
  | { readonly text: string; readonly ignored: readonly string[] }
  | { readonly problem: string; readonly isTooLong: boolean };

/** What a machine is told when it starts, so that it joins the cluster; all of it, or why it cannot be made. */
export function makeUserData(input: BootstrapInput): UserData {
  const { family, userData } = input;
  if (family === "Custom") return { text: userData ?? "", ignored: [] };
  const bytes = Buffer.byteLength(userData ?? "", "utf8");
  // Far too long to be worth the parsing.
  if (bytes > 2 * mostUserDataBytes) return { problem: tooLong(bytes, userData), isTooLong: true };
  try {
    checkInput(input);
    return { ignored: [], ...write(family, input) };
  } catch (error) {
    if (error instanceof UserDataProblem) return { problem: error.message, isTooLong: false };
    throw error;
  }
}

function write(
  family: Exclude<ImageFamily, "Custom">,
  input: BootstrapInput,
): { readonly text: string; readonly ignored?: readonly string[] } {
  switch (family) {
    case "AL2":
      return { text: writeArchive([...ownParts(input.userData), shellPart(makeAl2Script(input))]) };
    case "AL2023":
      // Of two that say different things nodeadm believes the later.
      return { text: writeArchive([...ownPartsWithNodeConfig(input.userData), nodeConfigPart(makeNodeConfig(input))]) };
    case "Bottlerocket":
      return makeBottlerocketSettings(input);
    case "Windows2019":
    case "Windows2022":
    case "Windows2025":
      return { text: makeWindowsScript(input) };
  }
}

function checkInput({ clusterName, facts, kubelet }: BootstrapInput): void {
  checkOneLine("the name of the cluster (CLUSTER_NAME)", clusterName);
  checkOneLine("the address of the cluster (CLUSTER_ENDPOINT)", facts.endpoint);
  checkOneLine("the certificate bundle of the cluster (CLUSTER_CA_BUNDLE)", facts.caBundle);
  if (clusterName === "" || clusterName.startsWith("-")) {
    throw new UserDataProblem("the name of the cluster (CLUSTER_NAME) must not be empty nor begin with a dash");
  }
  if (!Number.isSafeInteger(kubelet.maxPods) || kubelet.maxPods < 0) {
    throw new UserDataProblem(`a machine cannot have ${kubelet.maxPods} pods: correct spec.kubelet.maxPods`);
  }
}
