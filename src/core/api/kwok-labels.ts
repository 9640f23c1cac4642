/** Labels that the KWOK provider adds to every node. */
export const instanceSizeLabel = "karpenter.kwok.sh/instance-size";
export const instanceFamilyLabel = "karpenter.kwok.sh/instance-family";
export const instanceCpuLabel = "karpenter.kwok.sh/instance-cpu";
export const instanceMemoryLabel = "karpenter.kwok.sh/instance-memory";
