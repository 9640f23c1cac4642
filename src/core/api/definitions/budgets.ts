import { type Schema, textLike } from "./schema.ts";

/** Longer than anybody writes; a bound is what lets the API server afford the rules. */
const maxLength = 256;

/** How many nodes of a pool may be disrupted at once. */
export const budgets: Schema = {
  type: "array",
  description:
    "How many nodes may be disrupted at once, and when. Of several budgets that are active, the strictest counts.",
  default: [{ nodes: "10%" }],
  maxItems: 50,
  "x-kubernetes-list-type": "atomic",
  "x-kubernetes-validations": [
    {
      rule: "self.all(budget, has(budget.schedule) == has(budget.duration))",
      message: "a budget with a schedule needs a duration, and the other way round: set both or neither",
    },
  ],
  items: {
    type: "object",
    description: "One bound on disruption.",
    required: ["nodes"],
    properties: {
      duration: {
        ...textLike(
          "^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$",
          "write whole hours, minutes or both, such as 8h, 90m or 1h30m; schedules know no seconds",
        ),
        maxLength,
        description: "How long the budget stays active after each time that the schedule names. Goes with schedule.",
      },
      nodes: {
        ...textLike(
          "^((100|[0-9]{1,2})%|[0-9]+)$",
          'write a number of nodes such as "5", or a share of the pool from "0%" to "100%", as a string',
        ),
        maxLength,
        default: "10%",
        description:
          "The greatest number of nodes, or share of the pool, that may be going away at once. Nodes that are not ready or are being deleted count.",
      },
      reasons: {
        type: "array",
        description: "What kinds of disruption the budget is for; all of them by default.",
        maxItems: 50,
        "x-kubernetes-list-type": "set",
        items: {
          type: "string",
          description: "A kind of disruption.",
          enum: ["Underutilized", "Empty", "Drifted"],
        },
      },
      schedule: {
        ...textLike(
          "^(@(annually|yearly|monthly|weekly|daily|midnight|hourly))|((.+)\\s(.+)\\s(.+)\\s(.+)\\s(.+))$",
          "write a cron schedule in UTC: minute, hour, day of month, month and day of week, such as 0 9 * * mon-fri, or one of @hourly, @daily, @weekly, @monthly, @yearly",
        ),
        maxLength,
        description: "When the budget becomes active, as in a CronJob and in UTC. Always active by default.",
      },
    },
  },
};
