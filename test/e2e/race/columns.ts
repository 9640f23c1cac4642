import { nodeReadySeconds } from "./node-stages.ts";

export const columnNames = ["burst", "steady", "boot", "jitter", "busy"] as const;
export type ColumnName = (typeof columnNames)[number];

/** How pods arrive and how machines start. Each column has goals of its own. */
export interface Column {
  readonly name: ColumnName;
  /** The rate at which kube-controller-manager may create pods. */
  readonly podsPerSecond: number;
  /** From the launch of a machine until its node joins. */
  readonly bootSeconds: number;
  /** Every node stays NotReady for some seconds after it has joined. Otherwise kwok makes it Ready at once. */
  readonly hasSlowNodes: boolean;
  /** Other processes keep every core busy. */
  readonly isBusy: boolean;
  readonly description: string;
}

const [shortest, longest] = nodeReadySeconds;

const columns: Readonly<Record<ColumnName, Omit<Column, "name">>> = {
  burst: {
    podsPerSecond: 500,
    bootSeconds: 0,
    hasSlowNodes: false,
    isBusy: false,
    description: "500 pods/s, no boot time",
  },
  steady: {
    podsPerSecond: 40,
    bootSeconds: 0,
    hasSlowNodes: false,
    isBusy: false,
    description: "40 pods/s, no boot time",
  },
  boot: {
    podsPerSecond: 40,
    bootSeconds: 40,
    hasSlowNodes: false,
    isBusy: false,
    description: "40 pods/s, 40 s boot time",
  },
  jitter: {
    podsPerSecond: 40,
    bootSeconds: 30,
    hasSlowNodes: true,
    isBusy: false,
    description: `40 pods/s, 30 s boot time, node Ready ${shortest}–${longest} s after it joins`,
  },
  busy: {
    podsPerSecond: 500,
    bootSeconds: 0,
    hasSlowNodes: false,
    isBusy: true,
    description: "500 pods/s, no boot time, other processes keep every core busy",
  },
};

export function columnOf(name: ColumnName): Column {
  return { name, ...columns[name] };
}

/** The token bucket of each client of kube-controller-manager. In a managed cluster it is as small as in `steady`. */
export function controllerManagerFlags({ podsPerSecond }: Column): string[] {
  return [`--kube-api-qps=${podsPerSecond}`, `--kube-api-burst=${Math.round(podsPerSecond * 1.5)}`];
}
