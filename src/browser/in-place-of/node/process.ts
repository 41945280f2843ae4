// In place of Node's global `process`: an environment without variables.
export const process = {
  env: {} as Readonly<Record<string, string | undefined>>,
  platform: 'browser',
  arch: 'wasm32',
  versions: {} as Readonly<Record<string, string | undefined>>,
  cpuUsage: () => ({ user: 0, system: 0 }),
  memoryUsage: () => ({ rss: 0 }),
};
