import loadHighs from "highs";

/** Sums of variables, each a variable and its factor. */
type Terms = readonly (readonly [variable: number, factor: number])[];

// The package's types describe its CommonJS half, whose function is under "default"; its ES module is the function itself.
const highs = await (loadHighs as unknown as typeof loadHighs.default)();
const { modelStatus, variableType } = highs.constants;
type VariableType = (typeof variableType)[keyof typeof variableType];

/**
 * Looks for the cheapest amounts, none below 0, that keep every row at or below its limit, or exactly there. Some amounts
 * may have to be whole.
 */
export class LinearProgram {
  private readonly costs: number[] = [];
  private readonly types: VariableType[] = [];
  private readonly lower: number[] = [];
  private readonly upper: number[] = [];
  private readonly starts = [0];
  private readonly indices: number[] = [];
  private readonly values: number[] = [];

  addVariable(cost: number): number {
    this.types.push(variableType.continuous);
    return this.costs.push(cost) - 1;
  }

  addWholeVariable(cost: number): number {
    this.types.push(variableType.integer);
    return this.costs.push(cost) - 1;
  }

  addAtMost(terms: Terms, limit: number): void {
    this.addRow(terms, -highs.infinity, limit);
  }

  addExactly(terms: Terms, amount: number): void {
    this.addRow(terms, amount, amount);
  }

  /** The least cost. Throws when there is none. */
  minimize(): number {
    const least = this.minimizeWithin(undefined);
    if (least === undefined) throw new Error("Cannot solve the linear program: no amounts keep every row");
    return least;
  }

  /** The least cost, unless it takes too long to find or no amounts keep every row. */
  minimizeWithin(seconds: number | undefined): number | undefined {
    const [numRows, numCols] = [this.lower.length, this.costs.length];
    using model = highs.createModel({
      numRows,
      numCols,
      colCost: this.costs,
      colLower: new Float64Array(numCols),
      colUpper: new Float64Array(numCols).fill(highs.infinity),
      rowLower: this.lower,
      rowUpper: this.upper,
      matrix: { format: "csr", numRows, numCols, starts: this.starts, indices: this.indices, values: this.values },
      ...(this.types.includes(variableType.integer) ? { integrality: this.types } : {}),
    });
    model.options.set({ output_flag: false, ...(seconds === undefined ? {} : { time_limit: seconds }) });
    model.run();
    const status = model.getModelStatus();
    if (status === modelStatus.infeasible || status === modelStatus.timeLimit) return undefined;
    if (status !== modelStatus.optimal) {
      throw new Error(`Cannot solve the linear program: it ended with status ${status}, not with an optimum`);
    }
    return model.getObjectiveValue();
  }

  private addRow(terms: Terms, lower: number, upper: number): void {
    for (const [variable, factor] of terms) {
      this.indices.push(variable);
      this.values.push(factor);
    }
    this.starts.push(this.indices.length);
    this.lower.push(lower);
    this.upper.push(upper);
  }
}
