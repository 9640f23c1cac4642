/** Something the user can mend: the message names it and says how. Everything else is a bug and keeps its stack. */
export class CliError extends Error {}
