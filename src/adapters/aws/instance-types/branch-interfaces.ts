/**
 * How many pods with security groups of their own a machine takes, which EC2 tells nobody. Facts of the controller that
 * gives pods their interfaces (amazon-vpc-resource-controller-k8s, May 2026): families, then numbers with the sizes that
 * have them.
 */
const table: readonly (readonly [families: string, numbers: string])[] = [
  ["a1", "9 large, 10 medium, 18 xlarge, 38 2xlarge, 54 4xlarge metal"],
  ["c5 c5d", "9 large, 18 xlarge, 38 2xlarge, 54 4xlarge 9xlarge 12xlarge, 107 18xlarge 24xlarge metal"],
  ["c5a c5ad m5a m5ad r5a r5ad", "9 large, 18 xlarge, 38 2xlarge, 54 4xlarge 8xlarge 12xlarge, 107 16xlarge 24xlarge"],
  ["c5n", "9 large, 18 xlarge, 38 2xlarge, 54 4xlarge 9xlarge, 107 18xlarge metal"],
  [
    "c6a m6a r6a",
    "9 large, 18 xlarge, 38 2xlarge, 54 4xlarge, 84 8xlarge, 107 16xlarge 24xlarge 32xlarge 48xlarge metal, 114 12xlarge",
  ],
  [
    "c6g c6gd c7g c7gd c7gn m6g m6gd m7g m7gd r6g r6gd r7g r7gd",
    "4 medium, 9 large, 18 xlarge, 38 2xlarge, 54 4xlarge 8xlarge 12xlarge, 107 16xlarge metal",
  ],
  ["c6gn", "4 medium, 9 large, 18 xlarge, 38 2xlarge, 54 4xlarge 8xlarge 12xlarge, 107 16xlarge"],
  [
    "c6i c6id m6i m6id r6i r6id",
    "9 large, 18 xlarge, 38 2xlarge, 54 4xlarge, 84 8xlarge, 107 16xlarge 24xlarge 32xlarge metal, 114 12xlarge",
  ],
  [
    "c6in m6idn m6in r6idn r6in",
    "9 large, 18 xlarge, 38 2xlarge, 54 4xlarge, 84 8xlarge, 106 32xlarge metal, 107 16xlarge 24xlarge, 114 12xlarge",
  ],
  [
    "c7a m7a r7a",
    "4 medium, 9 large, 18 xlarge, 38 2xlarge, 54 4xlarge, 84 8xlarge, 107 16xlarge 24xlarge 32xlarge 48xlarge metal-48xl, 114 12xlarge",
  ],
  ["c7g-flex m7g-flex", "1 medium, 3 large, 8 xlarge, 18 2xlarge, 34 4xlarge, 54 8xlarge"],
  [
    "c7i",
    "9 large, 18 xlarge, 38 2xlarge, 54 4xlarge, 84 8xlarge, 107 16xlarge 24xlarge 32xlarge 48xlarge metal-24xl metal-48xl, 114 12xlarge",
  ],
  ["c7i-flex m7i-flex", "3 large, 8 xlarge, 18 2xlarge, 34 4xlarge, 54 8xlarge, 107 16xlarge, 114 12xlarge"],
  [
    "c8a m8a r8a",
    "4 medium, 9 large, 18 xlarge, 38 2xlarge, 54 4xlarge, 82 8xlarge, 98 48xlarge metal-48xl, 106 16xlarge 24xlarge metal-24xl, 110 12xlarge",
  ],
  [
    "c8g c8gd m8g m8gd r8g r8gd x8g",
    "4 medium, 9 large, 18 xlarge, 38 2xlarge, 54 4xlarge 8xlarge 12xlarge, 107 16xlarge 24xlarge 48xlarge metal-24xl metal-48xl",
  ],
  ["c8g-flex m8g-flex", "1 medium, 3 large, 8 xlarge, 18 2xlarge, 34 4xlarge, 47 16xlarge, 54 8xlarge 12xlarge"],
  [
    "c8gb c8gn m8gb m8gn r8gb r8gn",
    "4 medium, 9 large, 18 xlarge, 38 2xlarge, 50 12xlarge, 52 8xlarge, 54 4xlarge, 98 24xlarge 48xlarge, 106 16xlarge",
  ],
  [
    "c8i c8id m8i m8id r8i r8id",
    "9 large, 18 xlarge, 38 2xlarge, 54 4xlarge, 82 8xlarge, 98 32xlarge 48xlarge 96xlarge metal-48xl metal-96xl, 106 16xlarge 24xlarge, 110 12xlarge",
  ],
  ["c8i-flex m8i-flex r8i-flex", "3 large, 8 xlarge, 18 2xlarge, 34 4xlarge, 52 8xlarge, 106 16xlarge, 110 12xlarge"],
  [
    "c8ib m8ib m8idb m8idn m8in r8ib r8idb r8idn r8in",
    "8 large, 18 xlarge, 38 2xlarge, 54 4xlarge, 84 8xlarge, 98 48xlarge 96xlarge, 106 16xlarge 24xlarge 32xlarge, 110 12xlarge",
  ],
  [
    "c8in",
    "8 large, 18 xlarge, 38 2xlarge, 54 4xlarge, 84 8xlarge, 98 48xlarge 96xlarge metal-48xl metal-96xl, 106 16xlarge 24xlarge 32xlarge, 110 12xlarge",
  ],
  ["c8ine m8ine", "8 large, 18 xlarge, 38 2xlarge, 54 4xlarge, 84 8xlarge, 110 12xlarge"],
  ["d3", "42 xlarge, 92 2xlarge, 118 4xlarge, 119 8xlarge"],
  ["d3en", "24 xlarge, 58 2xlarge, 118 4xlarge 6xlarge 8xlarge, 119 12xlarge"],
  ["dl1 p4d p4de", "62 24xlarge"],
  ["dl2q p3dn", "107 24xlarge"],
  ["f2", "84 6xlarge, 107 48xlarge, 114 12xlarge"],
  ["g4ad", "6 16xlarge, 10 8xlarge, 11 4xlarge, 12 xlarge 2xlarge"],
  ["g4dn", "39 xlarge 2xlarge, 54 12xlarge, 58 8xlarge, 59 4xlarge, 107 metal, 118 16xlarge"],
  ["g5", "4 xlarge, 17 2xlarge, 34 4xlarge, 84 8xlarge, 107 12xlarge 24xlarge, 114 16xlarge, 115 48xlarge"],
  ["g5g", "18 xlarge, 38 2xlarge, 54 4xlarge 8xlarge, 107 16xlarge metal"],
  ["g6", "18 xlarge, 38 2xlarge, 54 4xlarge, 84 8xlarge, 107 16xlarge 24xlarge 48xlarge, 114 12xlarge"],
  ["g6e", "18 xlarge, 38 2xlarge, 54 4xlarge, 82 48xlarge, 84 8xlarge, 102 24xlarge, 107 16xlarge, 112 12xlarge"],
  ["g6f", "10 large, 18 xlarge, 38 2xlarge, 54 4xlarge"],
  ["g7", "38 2xlarge, 54 4xlarge, 82 8xlarge, 98 24xlarge 48xlarge, 110 12xlarge"],
  ["g7e", "120 2xlarge 4xlarge 8xlarge 12xlarge 24xlarge 48xlarge"],
  ["gr6", "54 4xlarge, 84 8xlarge"],
  ["gr6f", "54 4xlarge"],
  ["i3", "120 metal"],
  ["i3en", "5 large, 12 xlarge, 28 2xlarge, 38 3xlarge, 54 6xlarge 12xlarge, 107 24xlarge metal"],
  ["i4g im4gn", "9 large, 18 xlarge, 38 2xlarge, 54 4xlarge 8xlarge, 107 16xlarge"],
  ["i4i", "6 xlarge, 26 2xlarge, 52 4xlarge, 105 24xlarge, 112 8xlarge 12xlarge, 120 16xlarge 32xlarge metal"],
  [
    "i7i",
    "9 large, 18 xlarge, 38 2xlarge, 54 4xlarge, 84 8xlarge 12xlarge, 107 16xlarge 24xlarge 48xlarge metal-24xl metal-48xl",
  ],
  [
    "i7ie",
    "19 large, 27 xlarge 2xlarge 3xlarge, 54 6xlarge 12xlarge, 107 18xlarge 24xlarge 48xlarge metal-24xl metal-48xl",
  ],
  [
    "i8g",
    "9 large, 18 xlarge, 38 2xlarge, 54 4xlarge 8xlarge 12xlarge, 107 16xlarge 24xlarge 48xlarge metal-24xl metal-48xl",
  ],
  [
    "i8ge",
    "19 large, 25 3xlarge, 27 xlarge 2xlarge, 50 12xlarge, 52 6xlarge, 98 48xlarge metal-48xl, 106 18xlarge 24xlarge metal-24xl",
  ],
  ["inf1", "38 xlarge 2xlarge, 54 6xlarge, 111 24xlarge"],
  ["inf2", "18 xlarge, 84 8xlarge, 107 24xlarge 48xlarge"],
  ["is4gen", "4 medium, 9 large, 18 xlarge, 38 2xlarge, 54 4xlarge 8xlarge"],
  ["m5 r5", "9 large, 18 xlarge, 38 2xlarge, 54 4xlarge 8xlarge 12xlarge, 107 16xlarge 24xlarge, 120 metal"],
  [
    "m5d m5dn m5n r5b r5d r5dn r5n",
    "9 large, 18 xlarge, 38 2xlarge, 54 4xlarge 8xlarge 12xlarge, 107 16xlarge 24xlarge metal",
  ],
  ["m5zn", "13 large, 29 xlarge, 62 2xlarge, 92 3xlarge, 107 12xlarge metal, 114 6xlarge"],
  [
    "m7i r7i",
    "9 large, 18 xlarge, 38 2xlarge, 54 4xlarge, 84 8xlarge, 107 16xlarge 24xlarge 48xlarge metal-24xl metal-48xl, 114 12xlarge",
  ],
  ["m8azn", "3 medium, 8 large, 18 xlarge, 34 3xlarge, 54 6xlarge, 106 12xlarge 24xlarge metal-12xl metal-24xl"],
  [
    "m9g m9gd",
    "4 medium, 9 large, 18 xlarge, 38 2xlarge, 50 12xlarge, 52 8xlarge, 54 4xlarge, 98 24xlarge 48xlarge metal-48xl, 106 16xlarge",
  ],
  ["mac-m3ultra mac-m4 mac-m4max mac-m4pro mac1 mac2 mac2-m1ultra mac2-m2 mac2-m2pro", "6 metal"],
  ["p5", "58 4xlarge, 120 48xlarge"],
  ["p5e p5en p6-b200 p6-b300", "120 48xlarge"],
  [
    "r7iz",
    "9 large, 18 xlarge, 38 2xlarge, 54 4xlarge, 84 8xlarge, 107 16xlarge 32xlarge metal-16xl metal-32xl, 114 12xlarge",
  ],
  ["trn1", "17 2xlarge, 82 32xlarge"],
  ["trn1n", "120 32xlarge"],
  ["u-3tb1", "6 56xlarge"],
  ["u7i-12tb", "107 224xlarge"],
  ["u7i-6tb u7i-8tb", "107 112xlarge"],
  ["u7in-16tb u7in-24tb u7in-32tb", "106 224xlarge"],
  ["vt1", "38 3xlarge, 54 6xlarge, 107 24xlarge"],
  ["x2gd", "9 large, 10 medium, 18 xlarge, 38 2xlarge, 54 4xlarge 8xlarge 12xlarge, 107 16xlarge metal"],
  ["x2idn", "107 16xlarge 24xlarge 32xlarge metal"],
  ["x2iedn", "11 xlarge, 27 2xlarge, 54 4xlarge, 107 16xlarge 24xlarge 32xlarge metal, 114 8xlarge"],
  ["x2iezn", "62 2xlarge, 107 12xlarge metal, 114 4xlarge 6xlarge 8xlarge"],
  ["x8aedz", "8 large, 18 xlarge, 34 3xlarge, 54 6xlarge, 106 12xlarge 24xlarge metal-12xl metal-24xl"],
  [
    "x8i",
    "9 large, 18 xlarge, 38 2xlarge, 54 4xlarge, 82 8xlarge, 98 32xlarge 48xlarge 64xlarge 96xlarge metal-48xl metal-96xl, 106 16xlarge 24xlarge, 110 12xlarge",
  ],
  ["z1d", "13 large, 28 xlarge, 54 3xlarge 6xlarge, 58 2xlarge, 107 12xlarge metal"],
];

const byFamily = new Map<string, ReadonlyMap<string, number>>();
for (const [families, numbers] of table) {
  const bySize = new Map<string, number>();
  for (const entry of numbers.split(", ")) {
    const [number = "0", ...sizes] = entry.split(" ");
    for (const size of sizes) bySize.set(size, Number(number));
  }
  for (const family of families.split(" ")) byFamily.set(family, bySize);
}

/** 0 for machines that cannot have any, and for those that are newer than the table. */
export function branchInterfacesOf(instanceType: string): number {
  const [family = "", size = ""] = instanceType.split(".");
  return byFamily.get(family)?.get(size) ?? 0;
}
