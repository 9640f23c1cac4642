import type { ImageFamily } from "../node-class/ec2-node-class.ts";

export interface ImageFamilyFeatures {
  /** The kubelet keeps back memory for as many pods as interfaces have addresses, however many may really run. */
  readonly reservesByInterfaces: boolean;
  readonly honoursPodsPerCore: boolean;
  /** As many pods as interfaces have addresses; otherwise 110. */
  readonly limitsPodsByInterfaces: boolean;
  /** Where pods' own files are; undefined when nobody knows. */
  readonly ephemeralDevice: string | undefined;
  readonly ephemeralBytes: number;
  /** Of Windows. */
  readonly build: string | undefined;
}

const gibibyte = 2 ** 30;

const linux: ImageFamilyFeatures = {
  reservesByInterfaces: true,
  honoursPodsPerCore: true,
  limitsPodsByInterfaces: true,
  ephemeralDevice: "/dev/xvda",
  ephemeralBytes: 20 * gibibyte,
  build: undefined,
};

const windows = (build: string): ImageFamilyFeatures => ({
  reservesByInterfaces: false,
  honoursPodsPerCore: true,
  limitsPodsByInterfaces: false,
  ephemeralDevice: "/dev/sda1",
  ephemeralBytes: 50 * gibibyte,
  build,
});

export const imageFamilyFeatures: Readonly<Record<ImageFamily, ImageFamilyFeatures>> = {
  AL2: linux,
  AL2023: linux,
  Custom: { ...linux, ephemeralDevice: undefined },
  Bottlerocket: {
    ...linux,
    reservesByInterfaces: false,
    honoursPodsPerCore: false,
    ephemeralDevice: "/dev/xvdb",
  },
  Windows2019: windows("10.0.17763"),
  Windows2022: windows("10.0.20348"),
  Windows2025: windows("10.0.26100"),
};
