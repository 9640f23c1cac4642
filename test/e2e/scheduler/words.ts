/** Few words, so that what is chosen at random often meets. */
export const zoneKey = "topology.kubernetes.io/zone";
export const regionKey = "topology.kubernetes.io/region";
export const hostnameKey = "kubernetes.io/hostname";
export const zones = ["z1", "z2", "z3"];
export const topologyKeys = [zoneKey, zoneKey, hostnameKey, hostnameKey, "rack"];
export const apps = ["x", "y", "z"];
export const tiers = ["front", "back"];
export const driver = "csi.example.com";
export const gpu = "example.com/gpu";
/** The meek one preempts nobody. */
export const priorityClasses: Readonly<Record<string, number>> = {
  low: -5,
  middle: 10,
  high: 100,
  meek: 100,
};
export const namespaces: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  alpha: { env: "test", team: "one" },
  beta: { env: "prod", team: "one" },
  gamma: { team: "two" },
};
