// In place of core/running-files.ts: what is loaded by its address is found in a table of the build.

let tasks: Readonly<Record<string, () => Promise<object>>> = {};

/** @param table by path below src, without extension */
export function useTasks(table: typeof tasks): void {
  tasks = table;
}

export const outsideArchive = (path: string): string => path;
export const packagePath = (path: string): string => `/${path}`;
export const sourceUrl = (path: string): URL => new URL(`earshot:/${path}`);
export const moduleUrl = (path: string): string => path;

export async function loadModule(path: string): Promise<object> {
  const load = tasks[path];
  if (!load) throw new TypeError(`Expected the build to know ${path}`);
  return load();
}
