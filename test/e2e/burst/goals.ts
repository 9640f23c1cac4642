import { median } from "../../../bench/scores.ts";

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

/** Of several rounds, one of each in every round. */
export interface Bursts {
  readonly ours: readonly Burst[];
  /** Ours with `PLACEMENT_POLICY=Bind`. */
  readonly binding: readonly Burst[];
  readonly peer: readonly Burst[];
}

const most = { pricePerHourOfPeer: 0.5, residentMegabytes: 260, cpuSecondsOfPeer: 1.5, shareAsPlanned: 0.95 };

/** What is compared with the Go controller is compared round by round; all else has to hold every time. */
export function goalsMissed({ ours, binding, peer }: Bursts): string[] {
  const beside = (number: (burst: Burst) => number): number => median(ratios({ ours, peer }, number));
  const goals: readonly (readonly [isMet: boolean, text: string])[] = [
    [ours.every(({ isDone }) => isDone), "all pods run"],
    [peer.some(({ isDone }) => isDone), "a round that the Go controller ended, to compare with"],
    [beside(({ seconds }) => seconds) <= 1, "all pods run no later than with the Go controller"],
    [beside(({ pricePerHour }) => pricePerHour) < most.pricePerHourOfPeer, "the nodes cost less than half"],
    [
      ours.every(({ peakResidentMegabytes }) => peakResidentMegabytes <= most.residentMegabytes),
      `at most ${most.residentMegabytes} MB resident`,
    ],
    [beside(({ cpuSeconds }) => cpuSeconds) <= most.cpuSecondsOfPeer, "at most one and a half times the CPU seconds"],
    [
      ours.every(({ shareAsPlanned = 0 }) => shareAsPlanned >= most.shareAsPlanned),
      "at least 95% of the pods where the plan put them",
    ],
    [ours.every(({ secondWaveNodes }) => secondWaveNodes === 0), "no node that the plan had not foreseen"],
    [ours.every(isOneWave), "all claims in the first wave"],
    [binding.every(({ isDone }) => isDone), "all pods run with binding"],
    [binding.every(({ shareAsPlanned }) => shareAsPlanned === 1), "with binding, every pod where the plan put it"],
    [
      binding.every(({ secondWaveNodes }) => secondWaveNodes === 0),
      "with binding, no node that the plan had not foreseen",
    ],
    [binding.every(isOneWave), "with binding, all claims in the first wave"],
  ];
  return goals.filter(([isMet]) => !isMet).map(([, text]) => `The burst misses a goal: ${text}`);
}

/**
 * Machines are quicker at one time than at another, but not so much within a round. A round that the Go controller does
 * not end is nothing to compare with.
 */
function ratios({ ours, peer }: Pick<Bursts, "ours" | "peer">, number: (burst: Burst) => number): number[] {
  return ours.flatMap((burst, round) => {
    const beside = peer[round];
    return beside?.isDone === true ? [number(burst) / number(beside)] : [];
  });
}

/** Pods that take longer to come than the ten seconds of the batching window are planned in several parts. */
function isOneWave({ createSeconds, laterClaims }: Burst): boolean {
  return createSeconds >= 10 || laterClaims === 0;
}

type Row = readonly [title: string, number: (burst: Burst) => number | undefined, format: (number: number) => string];

const rows: readonly Row[] = [
  ["seconds until all pods run", ({ isDone, seconds }) => (isDone ? seconds : undefined), (n) => n.toFixed(1)],
  ["of that, kubectl apply", ({ createSeconds }) => createSeconds, (n) => n.toFixed(1)],
  ["nodes", ({ nodes }) => nodes, String],
  ["dollars an hour", ({ pricePerHour }) => pricePerHour, (n) => n.toFixed(2)],
  ["claims after a pause of 3 s", ({ laterClaims }) => laterClaims, String],
  ["MB resident at the end", ({ residentMegabytes }) => residentMegabytes, (n) => n.toFixed(0)],
  ["MB resident at most", ({ peakResidentMegabytes }) => peakResidentMegabytes, (n) => n.toFixed(0)],
  ["CPU seconds", ({ cpuSeconds }) => cpuSeconds, (n) => n.toFixed(1)],
  ["% of pods where planned", ({ shareAsPlanned: share }) => share, (n) => (n * 100).toFixed(1)],
  ["nodes not foreseen", ({ secondWaveNodes }) => secondWaveNodes, String],
];

/** The median of each, and all of them in the order of their rounds. */
export function printBursts(bursts: Bursts, print: (line: string) => void): void {
  for (const [title, number, format] of rows) {
    print(title);
    for (const [name, of] of Object.entries(bursts) as [string, readonly Burst[]][]) {
      const numbers = of.map(number);
      const known = numbers.filter((one) => one !== undefined);
      if (known.length === 0) continue;
      const all = numbers.map((one) => (one === undefined ? "–" : format(one))).join(" ");
      print(`  ${name.padEnd(10)}${format(median(known)).padStart(8)}   (${all})`);
    }
  }
  const time = ratios(bursts, ({ seconds }) => seconds);
  const all = time.map((ratio) => ratio.toFixed(2)).join(" ");
  print(`seconds of ours beside those of the Go controller, round by round: ${median(time).toFixed(2)}   (${all})`);
}
