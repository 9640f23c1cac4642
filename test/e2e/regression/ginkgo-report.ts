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
  return specsIn(text)
    .filter(({ State }) => State !== "skipped")
    .map((spec) => ({
      text: nameOf(spec),
      state: spec.State,
      seconds: spec.RunTime / 1e9,
      failure: spec.State === "passed" ? undefined : describeFailure(spec),
    }));
}

/** Of all specs, whether they were asked for or not. */
export function namesInReport(text: string): string[] {
  return specsIn(text).map(nameOf);
}

/** Those that are pending are none yet. */
function specsIn(text: string): GinkgoSpec[] {
  const reports = JSON.parse(text) as readonly GinkgoReport[];
  return reports
    .flatMap(({ SpecReports }) => SpecReports ?? [])
    .filter(({ LeafNodeType, State }) => LeafNodeType === "It" && State !== "pending");
}

function nameOf({ ContainerHierarchyTexts, LeafNodeText }: GinkgoSpec): string {
  return [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(" ");
}

function describeFailure({ State, Failure }: GinkgoSpec): string {
  const { FileName = "", LineNumber = 0 } = Failure?.Location ?? {};
  const file = FileName.slice(FileName.lastIndexOf("/") + 1);
  return `${State} at ${file}:${LineNumber}: ${(Failure?.Message ?? "").trim()}`;
}
