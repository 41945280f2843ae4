// In place of node:os: a system without numbers for its errors.
export const constants: { readonly errno: Readonly<Record<string, number | undefined>> } = { errno: {} };
export const homedir = (): string => '/';
export const tmpdir = (): string => '/';
