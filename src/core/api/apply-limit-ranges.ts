import { isRecord } from "./field.ts";

/** What a LimitRange gives containers that do not say it themselves, by resource. */
export interface ContainerDefaults {
  readonly limits: Readonly<Record<string, unknown>>;
  readonly requests: Readonly<Record<string, unknown>>;
}

export function readContainerDefaults(limitRange: unknown): ContainerDefaults {
  const limits: Record<string, unknown> = {};
  const requests: Record<string, unknown> = {};
  for (const item of listIn(recordIn(limitRange, "spec"), "limits")) {
    if (!isRecord(item) || item.type !== "Container") continue;
    Object.assign(limits, recordIn(item, "default"));
    Object.assign(requests, recordIn(item, "defaultRequest"));
  }
  return { limits, requests };
}

/**
 * A pod spec as admission would have it in a namespace with these defaults. Pods that exist went through that; a template
 * did not, and the node that is planned for its pods would be too small.
 */
export function applyLimitRanges(podSpec: unknown, defaults: readonly ContainerDefaults[]): unknown {
  if (!isRecord(podSpec) || defaults.length === 0) return podSpec;
  const limits = Object.assign({}, ...defaults.map((given) => given.limits)) as Record<string, unknown>;
  const requests = Object.assign({}, ...defaults.map((given) => given.requests)) as Record<string, unknown>;
  const complete = (container: unknown): unknown => {
    if (!isRecord(container)) return container;
    const own = recordIn(container, "resources");
    const ownLimits = recordIn(own, "limits");
    // A limit of one's own stands in for the request before any default does.
    const ownRequests = { ...ownLimits, ...recordIn(own, "requests") };
    return {
      ...container,
      resources: { ...own, limits: { ...limits, ...ownLimits }, requests: { ...limits, ...requests, ...ownRequests } },
    };
  };
  return {
    ...podSpec,
    containers: listIn(podSpec, "containers").map(complete),
    ...(Array.isArray(podSpec.initContainers) ? { initContainers: podSpec.initContainers.map(complete) } : {}),
  };
}

function recordIn(value: unknown, field: string): Readonly<Record<string, unknown>> {
  const found = isRecord(value) ? value[field] : undefined;
  return isRecord(found) ? found : {};
}

function listIn(value: unknown, field: string): readonly unknown[] {
  const found = isRecord(value) ? value[field] : undefined;
  return Array.isArray(found) ? found : [];
}
