// Prints where the time of several commands went: `tell-times.ts FILE`, what they have written into the `TIMES_FILE`.
import { describeTimes, readTimes } from "./times.ts";

console.log(describeTimes(readTimes(process.argv[2] ?? "")));
