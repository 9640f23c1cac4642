/** Something about how to reach the cluster that whoever set it up must mend. Holds nothing secret. */
export class KubeConfigError extends Error {
  override readonly name = "KubeConfigError";
}

export interface SectionPlace {
  readonly file: string;
  /** As in `user "admin"`. */
  readonly owner: string;
}

/** A part of a kubeconfig that knows where it stands. Its mistakes never show values, which may be secret. */
export class ConfigSection {
  readonly place: SectionPlace;
  readonly #fields: Readonly<Record<string, unknown>>;

  constructor(value: unknown, place: SectionPlace) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw new KubeConfigError(`${place.file}: ${place.owner} must be an object with fields`);
    }
    this.#fields = value as Record<string, unknown>;
    this.place = place;
  }

  /** What is empty counts as absent. */
  text(field: string): string | undefined {
    const value = this.#fields[field] ?? "";
    if (typeof value !== "string") throw this.mistake(field, "must be text; put it in quotes");
    return value === "" ? undefined : value;
  }

  neededText(field: string): string {
    const value = this.text(field);
    if (value === undefined) throw this.mistake(field, "is missing; add it");
    return value;
  }

  flag(field: string): boolean {
    const value = this.#fields[field] ?? false;
    if (typeof value !== "boolean") throw this.mistake(field, "must be true or false");
    return value;
  }

  texts(field: string): readonly string[] {
    return this.#list(field).map((value) => {
      if (typeof value !== "string") throw this.mistake(field, "must be a list of texts; put each in quotes");
      return value;
    });
  }

  section(field: string): ConfigSection | undefined {
    const value = this.#fields[field] ?? undefined;
    return value === undefined ? undefined : new ConfigSection(value, this.#placeOf(field));
  }

  sections(field: string): readonly ConfigSection[] {
    return this.#list(field).map((value, i) => new ConfigSection(value, this.#placeOf(`${field}[${i}]`)));
  }

  /** The same fields under a better name. */
  as(owner: string): ConfigSection {
    return new ConfigSection(this.#fields, { ...this.place, owner });
  }

  /** As it was written. */
  value(field: string): unknown {
    return this.#fields[field];
  }

  has(field: string): boolean {
    const value = this.#fields[field];
    return value !== undefined && value !== null && value !== "";
  }

  /** What we do not know may well matter, so it is not passed over. */
  allowOnly(known: readonly string[]): void {
    for (const field of Object.keys(this.#fields)) {
      if (known.includes(field) || !this.has(field)) continue;
      throw this.mistake(field, `is not supported; remove it, or use one of ${known.join(", ")}`);
    }
  }

  mistake(field: string, state: string): KubeConfigError {
    return new KubeConfigError(`${this.place.file}: ${field} of ${this.place.owner} ${state}`);
  }

  #list(field: string): readonly unknown[] {
    const value = this.#fields[field] ?? [];
    if (!Array.isArray(value)) throw this.mistake(field, "must be a list");
    return value;
  }

  #placeOf(field: string): SectionPlace {
    return { ...this.place, owner: `${field} of ${this.place.owner}` };
  }
}
