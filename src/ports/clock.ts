/** Where time comes from: the machine, or a simulation that runs as fast as it can. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once, after at least so many milliseconds; callbacks that are due together run in the order they were set. */
  after(milliseconds: number, callback: () => void): Timer;
}

export interface Timer {
  cancel(): void;
}
