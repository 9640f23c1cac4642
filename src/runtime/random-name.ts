/** As Kubernetes ends generated names: no vowels, so that no words come of it. */
const letters = "bcdfghjklmnpqrstvwxz2456789";
const length = 5;

export function randomName(random: () => number): string {
  let name = "";
  for (let i = 0; i < length; i++) name += letters.charAt(Math.floor(random() * letters.length));
  return name;
}
