// In place of globals that Node has.

/** An environment without variables. */
export const process = {
  env: {} as Readonly<Record<string, string | undefined>>,
  platform: 'browser',
  arch: 'wasm32',
  versions: {} as Readonly<Record<string, string | undefined>>,
  cpuUsage: () => ({ user: 0, system: 0 }),
  memoryUsage: () => ({ rss: 0 }),
};

/** Pages that are not isolated have none. A run is one worker, which shares it with no other. */
export const SharedArrayBuffer = ArrayBuffer;
