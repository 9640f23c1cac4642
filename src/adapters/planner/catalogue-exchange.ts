import type { InstanceType } from "../../core/model/instance-type.ts";
import type { PlanRequest } from "../../ports/planner.ts";

/**
 * A request on its way to another thread. Catalogues are large and hardly ever change, so each crosses once and is
 * called by a number from then on.
 */
export interface PackedRequest<Request extends PlanRequest = PlanRequest> {
  readonly request: Request;
  /** For each pool of the snapshot, in order. */
  readonly catalogueOfPool: readonly number[];
  /** Those that the other side has not seen. */
  readonly newCatalogues: readonly (readonly [number, readonly InstanceType[]])[];
  /** All that are still in use; the others may be forgotten. */
  readonly inUse: readonly number[];
}

export class CatalogueSender {
  #numbers = new Map<readonly InstanceType[], number>();
  #next = 1;

  pack<Request extends PlanRequest>(request: Request): PackedRequest<Request> {
    const known = this.#numbers;
    const used = new Map<readonly InstanceType[], number>();
    const newCatalogues: [number, readonly InstanceType[]][] = [];
    const catalogueOfPool = request.snapshot.nodePools.map(({ instanceTypes }) => {
      let number = used.get(instanceTypes) ?? known.get(instanceTypes);
      if (number === undefined) {
        number = this.#next++;
        newCatalogues.push([number, instanceTypes]);
      }
      used.set(instanceTypes, number);
      return number;
    });
    this.#numbers = used;
    const nodePools = request.snapshot.nodePools.map((pool) => ({ ...pool, instanceTypes: [] }));
    return {
      request: { ...request, snapshot: { ...request.snapshot, nodePools } },
      catalogueOfPool,
      newCatalogues,
      inUse: [...used.values()],
    };
  }
}

export class CatalogueReceiver {
  #catalogues = new Map<number, readonly InstanceType[]>();

  unpack<Request extends PlanRequest>({
    request,
    catalogueOfPool,
    newCatalogues,
    inUse,
  }: PackedRequest<Request>): Request {
    for (const [number, catalogue] of newCatalogues) this.#catalogues.set(number, catalogue);
    const nodePools = request.snapshot.nodePools.map((pool, index) => {
      const instanceTypes = this.#catalogues.get(catalogueOfPool[index] ?? 0);
      if (instanceTypes === undefined) throw new Error(`The catalogue of NodePool "${pool.name}" never arrived`);
      return { ...pool, instanceTypes };
    });
    this.#catalogues = new Map([...this.#catalogues].filter(([number]) => inUse.includes(number)));
    return { ...request, snapshot: { ...request.snapshot, nodePools } };
  }
}
