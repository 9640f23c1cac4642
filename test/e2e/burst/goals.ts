/** What a burst came to. */
export interface Burst {
  readonly isDone: boolean;
  /** From the first pod until all of them run. */
  readonly seconds: number;
  readonly createSeconds: number;
  readonly nodes: number;
  readonly pricePerHour: number;
  /** Claims that were made after those of the first plans. */
  readonly laterClaims: number;
  readonly residentMegabytes: number;
  readonly peakResidentMegabytes: number;
  readonly cpuSeconds: number;
  readonly shareAsPlanned: number | undefined;
  readonly secondWaveNodes: number | undefined;
}

export interface Bursts {
  readonly ours: Burst;
  /** Ours with `PLACEMENT_POLICY=Bind`. */
  readonly binding: Burst;
  readonly peer: Burst;
}

const most = { pricePerHourOfPeer: 0.5, residentMegabytes: 260, cpuSecondsOfPeer: 1.5, shareAsPlanned: 0.95 };

export function goalsMissed({ ours, binding, peer }: Bursts): string[] {
  const goals: readonly (readonly [isMet: boolean, text: string])[] = [
    [ours.isDone, "all pods run"],
    [ours.seconds <= peer.seconds, "all pods run no later than with the Go controller"],
    [ours.pricePerHour < peer.pricePerHour * most.pricePerHourOfPeer, "the nodes cost less than half"],
    [ours.peakResidentMegabytes <= most.residentMegabytes, `at most ${most.residentMegabytes} MB resident`],
    [ours.cpuSeconds <= peer.cpuSeconds * most.cpuSecondsOfPeer, "at most one and a half times the CPU seconds"],
    [(ours.shareAsPlanned ?? 0) >= most.shareAsPlanned, "at least 95% of the pods where the plan put them"],
    [ours.secondWaveNodes === 0, "no node that the plan had not foreseen"],
    [ours.laterClaims === 0, "all claims in the first wave"],
    [binding.isDone, "all pods run with binding"],
    [binding.shareAsPlanned === 1, "with binding, every pod where the plan put it"],
    [binding.secondWaveNodes === 0, "with binding, no node that the plan had not foreseen"],
    [binding.laterClaims === 0, "with binding, all claims in the first wave"],
  ];
  return goals.filter(([isMet]) => !isMet).map(([, text]) => `The burst misses a goal: ${text}`);
}

const rows: readonly (readonly [title: string, cell: (burst: Burst) => string])[] = [
  ["all pods running", ({ isDone, seconds }) => (isDone ? `${seconds.toFixed(1)} s` : "never")],
  ["of that, kubectl apply", ({ createSeconds }) => `${createSeconds.toFixed(1)} s`],
  ["nodes", ({ nodes }) => String(nodes)],
  ["price an hour", ({ pricePerHour }) => `$${pricePerHour.toFixed(2)}`],
  ["claims after the first wave", ({ laterClaims }) => String(laterClaims)],
  ["resident at the end", ({ residentMegabytes }) => `${residentMegabytes.toFixed(0)} MB`],
  ["resident at most", ({ peakResidentMegabytes }) => `${peakResidentMegabytes.toFixed(0)} MB`],
  ["CPU", ({ cpuSeconds }) => `${cpuSeconds.toFixed(1)} s`],
  ["pods where planned", ({ shareAsPlanned: share }) => (share === undefined ? "–" : `${(share * 100).toFixed(1)}%`)],
  ["nodes not foreseen", ({ secondWaveNodes }) => (secondWaveNodes === undefined ? "–" : String(secondWaveNodes))],
];

export function printBursts(bursts: Bursts, print: (line: string) => void): void {
  const columns: readonly (readonly [title: string, burst: Burst])[] = Object.entries(bursts);
  print(["".padEnd(28), ...columns.map(([name]) => name.padStart(12))].join(""));
  for (const [title, cell] of rows) {
    print([title.padEnd(28), ...columns.map(([, burst]) => cell(burst).padStart(12))].join(""));
  }
}
