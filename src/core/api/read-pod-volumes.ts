import type { VolumeClaimUse } from "../model/pod.ts";
import type { Field } from "./field.ts";
import { readClaimRequest } from "./read-volumes.ts";

/** The claims a pod mounts, each once however often it is mounted. */
export function readVolumeClaims(volumes: Field, podName: string): VolumeClaimUse[] {
  const uses = new Map<string, VolumeClaimUse>();
  for (const volume of volumes.items()) {
    const use = readClaimUse(volume, podName);
    if (use !== undefined && !uses.has(use.claimName)) uses.set(use.claimName, use);
  }
  return [...uses.values()];
}

function readClaimUse(volume: Field, podName: string): VolumeClaimUse | undefined {
  const claim = volume.at("persistentVolumeClaim");
  if (!claim.isAbsent) {
    return { claimName: claim.at("claimName").requiredText(), isEphemeral: false, storageClassName: "", storage: 0 };
  }
  const ephemeral = volume.at("ephemeral");
  if (ephemeral.isAbsent) return undefined;
  const claimName = `${podName}-${volume.at("name").requiredText()}`;
  return { claimName, isEphemeral: true, ...readClaimRequest(ephemeral.at("volumeClaimTemplate")) };
}
