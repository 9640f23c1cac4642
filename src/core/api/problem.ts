/** Something wrong in an object that somebody wrote, said so that they can mend it. */
export interface Problem {
  /** Kind and name, as in "Pod default/web-1". */
  readonly object: string;
  /** Where in the object, as in "spec.containers[0].resources.requests.cpu"; "" for the object as a whole. */
  readonly field: string;
  /** What was expected and what was found, worded to follow the field. */
  readonly message: string;
}

/** What came of reading an object: all of it, or what is wrong with it. */
export type Read<T> = { readonly value: T; readonly problems?: never } | { readonly problems: readonly Problem[] };

export function describeProblem({ object, field, message }: Problem): string {
  return field === "" ? `${object} ${message}.` : `${object}: ${field} ${message}.`;
}

/** An object of garbage would otherwise give a problem for each of its parts. */
const mostProblemsOfOneObject = 20;

/** Gathers the problems of one object. */
export class ProblemLog {
  readonly object: string;
  #problems: Problem[] = [];
  #isAbandoned = false;
  readonly #brokenFields: string[] = [];

  constructor(object: string) {
    this.object = object;
  }

  get isEmpty(): boolean {
    return this.#problems.length === 0;
  }

  get problems(): readonly Problem[] {
    return this.#problems;
  }

  add(field: string, message: string): void {
    if (!this.#isMoot(field)) this.#problems.push({ object: this.object, field, message });
  }

  /** Gives up one field, which makes every other complaint about it and about what it should hold moot. */
  abandonField(field: string, message: string): void {
    if (this.#isMoot(field)) return;
    this.add(field, message);
    this.#brokenFields.push(field);
  }

  /** Gives the object up for one reason, which makes every other complaint about it moot. */
  abandon(field: string, message: string): void {
    if (!this.#isAbandoned) this.#problems = [{ object: this.object, field, message }];
    this.#isAbandoned = true;
  }

  #isMoot(field: string): boolean {
    if (this.#isAbandoned || this.#problems.length >= mostProblemsOfOneObject) return true;
    return this.#brokenFields.some((broken) => isWithin(field, broken));
  }

  /** The value, unless anything was wrong on the way to it. */
  conclude<T>(value: T): Read<T> {
    return this.isEmpty ? { value } : { problems: this.#problems };
  }
}

function isWithin(field: string, outer: string): boolean {
  if (!field.startsWith(outer)) return false;
  const next = field.charAt(outer.length);
  return next === "" || next === "." || next === "[";
}
