/** A bound so far below the price says more of how it was worked out than of the plan. */
const mostAbove = 1.25;

/** The bound where it is close enough to the price to say how good a plan is: of a few pods it may be a fifth of what any plan costs. */
export function tellingBound(costPerHour: number, boundPerHour: number): number | undefined {
  return boundPerHour > 0 && costPerHour <= mostAbove * boundPerHour ? boundPerHour : undefined;
}
