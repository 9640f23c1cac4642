/** How tests tell the overlay what AWS shall be like, and ask it what has happened. Types as the overlay reads them. */
export interface Pool {
  /** Each of these is any when left out. */
  readonly capacityType?: "spot" | "on-demand";
  readonly instanceType?: string;
  readonly zone?: string;
  /** How many machines can be had before the error; none when left out. */
  readonly capacity?: number;
  /** `InsufficientInstanceCapacity` when left out. */
  readonly code?: string;
  readonly message?: string;
}

export interface FaultOptions {
  /** For how many calls; for all when left out. */
  readonly times?: number;
  /** How many calls go well before. */
  readonly skip?: number;
}

export interface AwsError {
  readonly code: string;
  readonly message?: string;
  readonly status?: number;
}

export interface RecordedCall {
  readonly service: string;
  readonly action: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Flat, as in `LaunchTemplateConfigs.1.Overrides.2.InstanceType`, where the service is asked so; no user data. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Of HTTP; 0 when the connection was dropped before anything had happened, undefined while it goes on. */
  readonly status?: number;
  /** Done, and nobody told. */
  readonly isDropped?: boolean;
}

export interface StagedInstance {
  readonly id: string;
  readonly state: "pending" | "running" | "shutting-down" | "terminated" | "stopping" | "stopped";
  readonly instanceType: string;
  readonly zone: string;
  readonly lifecycle: "spot" | "on-demand";
  readonly imageId: string;
  readonly subnetId: string;
  readonly securityGroupIds: readonly string[];
  readonly privateDnsName: string;
  readonly privateIpAddress: string;
  readonly launchTime: string;
  readonly tags: Readonly<Record<string, string>>;
  /** Decoded. */
  readonly userData: string;
}

/** What is given here stands in for what all is well would say. Fields as in DescribeInstanceStatus. */
export interface StagedStatus {
  readonly InstanceStatus?: StatusSummary;
  readonly SystemStatus?: StatusSummary;
  readonly Events?: readonly { readonly Code: string; readonly Description?: string; readonly NotBefore?: string }[];
}

interface StatusSummary {
  readonly Status: string;
  readonly Details: readonly { readonly Name: string; readonly Status: string; readonly ImpairedSince?: string }[];
}

/** How many calls AWS takes: all at once, and each second from then on. */
const usualRates: readonly (readonly [
  action: string,
  bucket: { readonly capacity: number; readonly refill: number },
])[] = [
  ["CreateFleet", { capacity: 50, refill: 5 }],
  ["CreateLaunchTemplate", { capacity: 50, refill: 5 }],
  ["DeleteLaunchTemplate", { capacity: 50, refill: 5 }],
  ["RunInstances", { capacity: 5, refill: 2 }],
  ["TerminateInstances", { capacity: 100, refill: 5 }],
  ["CreateTags", { capacity: 100, refill: 10 }],
  ["DescribeInstances", { capacity: 100, refill: 20 }],
  ["DescribeLaunchTemplates", { capacity: 100, refill: 20 }],
  ["DescribeSubnets", { capacity: 100, refill: 20 }],
  ["DescribeSecurityGroups", { capacity: 100, refill: 20 }],
  ["DescribeImages", { capacity: 100, refill: 20 }],
];

export interface ControlOptions {
  readonly endpoint: string;
  readonly region: string;
}

export type Control = ReturnType<typeof openControl>;

export function openControl({ endpoint, region }: ControlOptions) {
  async function tell<Answer = void>(name: string, body: unknown = {}): Promise<Answer> {
    const response = await fetch(`${endpoint}/_ctl/${name}`, { method: "POST", body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`the overlay answered ${response.status} to ${name}: ${await response.text()}`);
    return (await response.json()) as Answer;
  }
  const throttling = { code: "RequestLimitExceeded", message: "Request limit exceeded.", status: 503 };
  const fault = (action: string, kind: string, options: object) => tell("faults", { action, kind, ...options });
  return {
    /** Everything is as in a new account, but slow answers that never change are kept. */
    reset: () => tell("reset"),

    /** What fleets can get: errors of an offering, at once or after so many machines. */
    limitPools: (pools: readonly Pool[]) => tell("pools", pools),
    clearPools: () => tell("clear-pools"),

    /** Calls of the action (`*`: of all) are answered with `RequestLimitExceeded`, and do nothing. */
    throttle: (action: string, options: FaultOptions = {}) => fault(action, "error", { ...throttling, ...options }),
    /** As many calls as the bucket holds, and as many each second as it is refilled with; others are throttled. */
    throttleBeyond: (action: string, bucket: { readonly capacity: number; readonly refill: number }) =>
      fault(action, "bucket", { ...throttling, ...bucket }),
    throttleAsUsual: async () => {
      for (const [action, bucket] of usualRates) await fault(action, "bucket", { ...throttling, ...bucket });
    },
    deny: (action: string, options: FaultOptions = {}) =>
      fault(action, "error", {
        code: "UnauthorizedOperation",
        message: `You are not authorized to perform this operation: ${action}`,
        status: 403,
        ...options,
      }),
    fail: (action: string, error: AwsError, options: FaultOptions = {}) =>
      fault(action, "error", { ...error, ...options }),
    /** The action is done, and the connection ends without an answer. */
    dropAnswers: (action: string, options: FaultOptions = {}) => fault(action, "drop-after", options),
    /** The connection ends without an answer, and nothing was done. */
    dropCalls: (action: string, options: FaultOptions = {}) => fault(action, "drop-before", options),
    delay: (action: string, milliseconds: number, options: FaultOptions = {}) =>
      fault(action, "delay", { milliseconds, ...options }),
    clearFaults: () => tell("clear-faults"),

    /** All calls since the last reset or `clearCalls`, or those of an action. A page is a call. */
    calls: async (action?: string): Promise<readonly RecordedCall[]> =>
      (await tell<{ calls: readonly RecordedCall[] }>("calls", action === undefined ? {} : { action })).calls,
    clearCalls: () => tell("clear-calls"),

    /** Dollars an hour. Types that are not named keep a price that follows from their size. */
    setPrices: (prices: {
      readonly onDemand?: Readonly<Record<string, number>>;
      readonly spot?: readonly { readonly instanceType: string; readonly zone: string; readonly price: number }[];
      /** Types that have no price at all. */
      readonly without?: readonly string[];
    }) => tell("prices", prices),

    /** Fields as in DescribeCapacityReservations; AvailableInstanceCount goes down and up with machines. */
    setReservations: (reservations: readonly Readonly<Record<string, unknown>>[]) => tell("reservations", reservations),
    reservations: () => tell<readonly Readonly<Record<string, unknown>>[]>("current-reservations"),
    /** Fields as in DescribePlacementGroups. */
    setPlacementGroups: (groups: readonly Readonly<Record<string, unknown>>[]) => tell("placement-groups", groups),
    /** Fields as in GetManagedResource. */
    setZonalShifts: (shifts: readonly Readonly<Record<string, unknown>>[]) => tell("zonal-shifts", shifts),
    setStatuses: (statuses: Readonly<Record<string, StagedStatus>>) => tell("statuses", statuses),
    /** How long machines are pending and shutting down, and for how many descriptions a new one does not exist. */
    setTiming: (timing: {
      readonly pendingMilliseconds?: number;
      readonly stoppingMilliseconds?: number;
      readonly hiddenCalls?: number;
    }) => tell("timing", timing),
    /** Parameters of SSM, below /aws/service too; null takes one away. */
    setParameters: (values: Readonly<Record<string, string | null>>) => tell("parameters", { region, values }),
    /** Changes what an image says of itself. */
    changeImage: (
      id: string,
      changes: {
        readonly state?: string;
        readonly owner_id?: string;
        readonly owner_alias?: string;
        readonly creation_date?: string;
        readonly deprecation_time?: string;
      },
    ) => tell("image", { region, id, ...changes }),
    /** Messages that were received come back that much earlier. */
    passQueueTime: (seconds: number) => tell("pass-queue-time", { region, seconds }),
    /** All machines, those that are gone too, without a call that counts. */
    instances: () => tell<readonly StagedInstance[]>("instances", { region }),
    /** As if AWS or a user took them away. */
    endInstances: (ids: readonly string[]) => tell("end-instances", { region, ids }),
  };
}
