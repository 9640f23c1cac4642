export function runDemo(): number {
  return 0;
}
