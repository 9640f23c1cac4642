/** What became of one spec. */
export interface SpecResult {
  /** Its group and its name. */
  readonly text: string;
  readonly state: string;
  readonly seconds: number;
  /** What was wrong, and where in the suite that is looked at. */
  readonly failure: string | undefined;
}

/** The part of Ginkgo's JSON that we read. */
interface GinkgoReport {
  readonly SpecReports?: readonly GinkgoSpec[];
}

interface GinkgoSpec {
  readonly ContainerHierarchyTexts?: readonly string[] | null;
  readonly LeafNodeText: string;
  readonly LeafNodeType: string;
  readonly State: string;
  /** Nanoseconds. */
  readonly RunTime: number;
  readonly Failure?: { readonly Message?: string; readonly Location?: { FileName?: string; LineNumber?: number } };
}

/** The specs that were run; those that were not asked for are not among them. */
export function readGinkgoReport(text: string): SpecResult[] {
  const reports = JSON.parse(text) as readonly GinkgoReport[];
  return reports
    .flatMap(({ SpecReports }) => SpecReports ?? [])
    .filter(({ LeafNodeType, State }) => LeafNodeType === "It" && State !== "skipped" && State !== "pending")
    .map((spec) => ({
      text: [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText].join(" "),
      state: spec.State,
      seconds: spec.RunTime / 1e9,
      failure: spec.State === "passed" ? undefined : describeFailure(spec),
    }));
}

function describeFailure({ State, Failure }: GinkgoSpec): string {
  const { FileName = "", LineNumber = 0 } = Failure?.Location ?? {};
  const file = FileName.slice(FileName.lastIndexOf("/") + 1);
  return `${State} at ${file}:${LineNumber}: ${(Failure?.Message ?? "").trim()}`;
}
