export class Violations {
  readonly kinds: Record<string, number> = {};
  readonly examples: string[] = [];

  add(kind: string, what: string): void {
    this.kinds[kind] = (this.kinds[kind] ?? 0) + 1;
    if (this.examples.length < 8) this.examples.push(`${kind}: ${what}`);
  }

  get count(): number {
    return Object.values(this.kinds).reduce((sum, count) => sum + count, 0);
  }
}
