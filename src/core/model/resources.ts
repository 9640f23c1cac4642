/** Amounts by resource name in whole units: cpu in millicores, everything else as is (bytes, counts). */
export type Resources = ReadonlyMap<string, number>;
