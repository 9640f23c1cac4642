export type TaintEffect = "NoSchedule" | "PreferNoSchedule" | "NoExecute";

export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: TaintEffect;
}

export interface Toleration {
  /** Empty tolerates every key, with operator Exists. */
  readonly key: string;
  readonly operator: "Equal" | "Exists" | "Lt" | "Gt";
  readonly value: string;
  /** Empty tolerates every effect. */
  readonly effect: TaintEffect | "";
}
