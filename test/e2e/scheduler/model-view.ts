import type { Pod as WirePod } from "kubernetes-types/core/v1.js";
import { readSnapshot } from "../../../src/core/api/read-objects.ts";
import { wellKnownLabels } from "../../../src/core/model/labels.ts";
import type { Pod } from "../../../src/core/model/pod.ts";
import { type Random, seededRandom } from "../../../src/core/model/seeded-random.ts";
import { SchedulerModel } from "../../../src/core/scheduling/scheduler-model/scheduler-model.ts";
import { screenPods } from "../../../src/core/scheduling/screen-pods.ts";
import type { PlanSettings } from "../../../src/core/scheduling/settings.ts";
import { type PlannedClass, World } from "../../../src/core/scheduling/world.ts";
import type { ClusterObject } from "../../../src/embedded/scheduler/scheduler-cache.ts";

const settings: PlanSettings = {
  preferencePolicy: "Respect",
  minValuesPolicy: "Strict",
  reservedCapacity: "Strict",
  pricePerNode: 0,
  wellKnownLabels,
  defaultSpread: [],
  maxRounds: 1,
  shouldStop: () => false,
  requestsFor: undefined,
};

interface Waiting {
  readonly pod: Pod;
  readonly planned: PlannedClass;
}

/** What the planner's model of kube-scheduler makes of a cluster in which every node is ready. */
export class ModelView {
  readonly #world: World;
  readonly #model: SchedulerModel;
  readonly #waiting: ReadonlyMap<string, Waiting>;
  readonly #random: Random = seededRandom(1);

  /** `pending`: the pods that will be asked about. */
  constructor(objects: readonly ClusterObject[], pending: readonly WirePod[]) {
    const { snapshot, pendingPods } = readSnapshot([...objects, ...pending], [], "unplaced");
    const { classes } = screenPods(snapshot, pendingPods, settings);
    this.#world = new World(snapshot, classes, settings);
    this.#model = new SchedulerModel(this.#world);
    this.#waiting = new Map(
      classes.flatMap((planned) => planned.podClass.pods.map((pod) => [pod.uid, { pod, planned }])),
    );
    this.startAnew();
  }

  /** The names of the nodes that are equally good for the pod. */
  choices({ metadata }: WirePod): string[] {
    const { planned, pod } = this.#waiting.get(metadata?.uid ?? "") ?? {};
    if (planned === undefined || pod === undefined) return [];
    return this.#model
      .choices(planned, pod)
      .map((index) => this.#nameOf(index))
      .sort();
  }

  /** Puts the pod on one of these nodes; undefined when there is none. */
  schedule({ metadata }: WirePod): string | undefined {
    const { planned, pod } = this.#waiting.get(metadata?.uid ?? "") ?? {};
    if (planned === undefined || pod === undefined) return undefined;
    const index = this.#model.schedule(planned, pod, this.#random);
    return index === undefined ? undefined : this.#nameOf(index);
  }

  /** Takes off every pod that was put on a node. */
  startAnew(): void {
    this.#model.reset();
    for (const index of this.#world.openNodes.keys()) this.#model.join(index);
  }

  #nameOf(index: number): string {
    return this.#world.openNodes[index]?.existing?.name ?? "";
  }
}
