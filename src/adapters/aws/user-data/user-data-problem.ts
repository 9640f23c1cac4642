/** No user data can be made of this. Its message is for whoever wrote the node class, and tells nothing of what is in its user data. */
export class UserDataProblem extends Error {
  override readonly name = "UserDataProblem";
}

/** Control characters, and what some readers take for the end of a line. */
const unprintable = /[\p{Cc}\u2028\u2029]/u;

/** Whatever is written into one line must be one. */
export function checkOneLine(what: string, value: string): string {
  if (unprintable.test(value)) throw new UserDataProblem(`${what} has a control character in it: take it out`);
  return value;
}
