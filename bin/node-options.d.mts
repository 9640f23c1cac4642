export const nodeArguments: readonly string[];
export function compileCacheIn(checkout: string): { readonly NODE_COMPILE_CACHE: string };
