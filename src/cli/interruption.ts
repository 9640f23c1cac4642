/** When somebody wants this process to end. */
export function interruption(): Promise<void> {
  return new Promise((done) => {
    process.once("SIGINT", () => done());
    process.once("SIGTERM", () => done());
    // The terminal was closed.
    process.once("SIGHUP", () => done());
  });
}
