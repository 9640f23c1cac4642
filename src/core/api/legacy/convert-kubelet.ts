import type { Field } from "../field.ts";
import type { NoteLog } from "./note.ts";

/** What pools could say about the kubelet before node classes did. */
const kubeletFields: readonly string[] = [
  "clusterDNS",
  "maxPods",
  "podsPerCore",
  "systemReserved",
  "kubeReserved",
  "evictionHard",
  "evictionSoft",
  "evictionSoftGracePeriod",
  "evictionMaxPodGracePeriod",
  "imageGCHighThresholdPercent",
  "imageGCLowThresholdPercent",
  "cpuCFSQuota",
];

/** Settings of the kubelet that a pool has and its node class is to have; undefined when there are none. */
export interface KubeletDraft {
  readonly place: Field;
  readonly settings: Readonly<Record<string, unknown>>;
}

export function convertKubelet(place: Field, notes: NoteLog): KubeletDraft | undefined {
  const runtime = place.at("containerRuntime");
  if (!runtime.isAbsent) {
    const isDocker = runtime.text() === "dockerd";
    const advice = isDocker ? ": pods that need the socket of Docker have to change" : ", as all machines have it";
    notes.dropped(runtime, `is left out: containerd is what runs containers now${advice}`);
  }
  notes.dropOthers(place, [...kubeletFields, "containerRuntime"], "the kubelet configuration of that version");
  const entries = place.entries().filter(([key, value]) => kubeletFields.includes(key) && !value.isAbsent);
  for (const [key, value] of entries) checkSetting(key, value);
  if (entries.length === 0) return undefined;
  return { place, settings: Object.fromEntries(entries.map(([key, { value }]) => [key, value])) };
}

const greatest = 2 ** 31 - 1;

function checkSetting(key: string, value: Field): void {
  if (key === "clusterDNS") value.texts();
  else if (key === "cpuCFSQuota") value.flag();
  else if (key.endsWith("Percent")) value.integer(0, 100);
  else if (key === "maxPods" || key === "podsPerCore" || key === "evictionMaxPodGracePeriod")
    value.integer(0, greatest);
  else value.labels();
}
