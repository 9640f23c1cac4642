/** A covering program: buy columns at their cost so that every row reaches its demand. Column-major coefficients. */
export interface CoveringProgram {
  readonly rows: number;
  readonly columns: number;
  /** coefficients[column * rows + row] */
  readonly coefficients: Float64Array;
  /** Never negative. */
  readonly costs: Float64Array;
  readonly demands: Float64Array;
}

export interface CoveringSolution {
  /** What one more unit of each row's demand would cost. Feasible for the dual up to rounding. */
  readonly rowPrices: Float64Array;
  /** How much of each column to buy. */
  readonly amounts: Float64Array;
}

const tolerance = 1e-9;

/**
 * Minimises the cost by the dual simplex method on a dense tableau. With costs that are not negative, buying nothing is
 * dual feasible, so there is no first phase, and stopping early still leaves prices that give a valid lower bound.
 */
export function solveCovering(program: CoveringProgram, maxPivots: number): CoveringSolution {
  const { rows, columns } = program;
  const width = columns + rows + 1;
  const rhs = width - 1;
  const scale = rowScales(program);
  // Row i says: surplus_i - sum(a_ij x_j) = -b_i, with the surplus basic.
  const tableau = new Float64Array((rows + 1) * width);
  for (let row = 0; row < rows; row++) {
    const start = row * width;
    for (let column = 0; column < columns; column++) {
      tableau[start + column] = -program.coefficients[column * rows + row]! * scale[row]!;
    }
    tableau[start + columns + row] = 1;
    tableau[start + rhs] = -program.demands[row]! * scale[row]!;
  }
  const costs = rows * width;
  let cheapest = Number.POSITIVE_INFINITY;
  for (let column = 0; column < columns; column++) {
    const cost = program.costs[column]!;
    if (cost > 0 && cost < cheapest) cheapest = cost;
  }
  // Columns that cost nothing would make every ratio a tie; a trace of cost in a fixed order breaks the ties.
  const trace = Number.isFinite(cheapest) ? cheapest * 1e-7 : 1e-7;
  for (let column = 0; column < columns; column++) {
    tableau[costs + column] = Math.max(program.costs[column]!, trace * (1 + column / columns));
  }
  const basis = Int32Array.from({ length: rows }, (_, row) => columns + row);
  for (let pivot = 0; pivot < maxPivots; pivot++) {
    const row = mostNegativeRow(tableau, rows, width);
    if (row < 0) break;
    const column = enteringColumn(tableau, row, rows, width);
    if (column < 0) break; // No column can meet this row: the caller's demand is impossible, the prices stay valid.
    eliminate(tableau, row, column, rows, width);
    basis[row] = column;
  }
  const rowPrices = new Float64Array(rows);
  for (let row = 0; row < rows; row++) rowPrices[row] = Math.max(0, tableau[costs + columns + row]! * scale[row]!);
  const amounts = new Float64Array(columns);
  basis.forEach((column, row) => {
    if (column < columns) amounts[column] = Math.max(0, tableau[row * width + rhs]!);
  });
  return { rowPrices, amounts };
}

/** Bytes beside millicores would drown the small numbers: bring each row's largest coefficient to one. */
function rowScales({ rows, columns, coefficients }: CoveringProgram): Float64Array {
  const scale = new Float64Array(rows);
  for (let column = 0; column < columns; column++) {
    for (let row = 0; row < rows; row++) {
      scale[row] = Math.max(scale[row]!, Math.abs(coefficients[column * rows + row]!));
    }
  }
  for (let row = 0; row < rows; row++) scale[row] = scale[row]! > 0 ? 1 / scale[row]! : 1;
  return scale;
}

function mostNegativeRow(tableau: Float64Array, rows: number, width: number): number {
  let best = -1;
  let least = -tolerance;
  for (let row = 0; row < rows; row++) {
    const value = tableau[row * width + width - 1]!;
    if (value < least) {
      least = value;
      best = row;
    }
  }
  return best;
}

function enteringColumn(tableau: Float64Array, row: number, rows: number, width: number): number {
  const start = row * width;
  const costs = rows * width;
  let best = -1;
  let leastRatio = Number.POSITIVE_INFINITY;
  for (let column = 0; column < width - 1; column++) {
    const value = tableau[start + column]!;
    if (value >= -tolerance) continue;
    const ratio = tableau[costs + column]! / -value;
    if (ratio < leastRatio) {
      leastRatio = ratio;
      best = column;
    }
  }
  return best;
}

function eliminate(tableau: Float64Array, row: number, column: number, rows: number, width: number): void {
  const start = row * width;
  const factor = 1 / tableau[start + column]!;
  const filled: number[] = [];
  for (let at = 0; at < width; at++) {
    if (tableau[start + at] === 0) continue;
    tableau[start + at]! *= factor;
    filled.push(at);
  }
  for (let other = 0; other <= rows; other++) {
    if (other === row) continue;
    const from = other * width;
    const multiple = tableau[from + column]!;
    if (multiple === 0) continue;
    for (const at of filled) tableau[from + at]! -= multiple * tableau[start + at]!;
    tableau[from + column] = 0;
  }
}
