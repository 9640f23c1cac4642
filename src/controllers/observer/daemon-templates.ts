import { applyLimitRanges, type ContainerDefaults, readContainerDefaults } from "../../core/api/apply-limit-ranges.ts";
import { isRecord } from "../../core/api/field.ts";
import type { KubeObject } from "../../runtime/kube-object.ts";
import type { ObjectSink } from "../../runtime/reflector.ts";

/** Brings DaemonSets together with the LimitRanges of their namespaces, and hands them on with both. */
export class DaemonTemplates {
  readonly #sink: ObjectSink;
  readonly #daemonSets = new Map<string, KubeObject>();
  /** By namespace, then by name. */
  readonly #defaults = new Map<string, Map<string, ContainerDefaults>>();

  constructor(sink: ObjectSink) {
    this.#sink = sink;
  }

  readonly daemonSets: ObjectSink = {
    put: (key, object) => {
      this.#daemonSets.set(key, object);
      this.#tell(key, object);
    },
    remove: (key) => {
      this.#daemonSets.delete(key);
      this.#sink.remove(key);
    },
  };

  readonly limitRanges: ObjectSink = {
    put: (key, object) => {
      const namespace = namespaceOf(key);
      const ranges = this.#defaults.get(namespace) ?? new Map<string, ContainerDefaults>();
      this.#defaults.set(namespace, ranges.set(key, readContainerDefaults(object)));
      this.#tellAll(namespace);
    },
    remove: (key) => {
      this.#defaults.get(namespaceOf(key))?.delete(key);
      this.#tellAll(namespaceOf(key));
    },
  };

  defaultsOf(namespace: string): readonly ContainerDefaults[] {
    return [...(this.#defaults.get(namespace)?.values() ?? [])];
  }

  #tellAll(namespace: string): void {
    for (const [key, object] of this.#daemonSets) if (namespaceOf(key) === namespace) this.#tell(key, object);
  }

  #tell(key: string, object: KubeObject): void {
    const defaults = this.defaultsOf(namespaceOf(key));
    const { spec } = object;
    if (defaults.length === 0 || !isRecord(spec) || !isRecord(spec.template)) {
      this.#sink.put(key, object);
      return;
    }
    const template = { ...spec.template, spec: applyLimitRanges(spec.template.spec, defaults) };
    this.#sink.put(key, { ...object, spec: { ...spec, template } });
  }
}

function namespaceOf(key: string): string {
  return key.slice(0, key.indexOf("/"));
}
