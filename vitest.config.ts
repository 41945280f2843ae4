import { availableParallelism, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { filesThatShare } from './test/sharing.ts';
import SlowFirst from './test/slow-first.ts';

/** Gigabytes for one with what it starts: a service, its database, and jobs of a gigabyte. */
const perWorker = 3;
// One more than cores: tests often wait for what they started.
const workers = Math.max(1, Math.min(availableParallelism() + 1, Math.floor(totalmem() / 2 ** 30 / perWorker)));

/** Young objects of tests die young; in small spaces V8 copies and marks them, for a twentieth of the suite's time. */
const youngFlags = ['--min-semi-space-size=16', '--max-semi-space-size=64'];
/**
 * Sound lies outside V8's heap: by default each 64 MB of it have the whole heap marked, which is large where many files
 * share a process. Flags of Node 24.
 */
const sharedFlags = process.versions.node.startsWith('24.')
  ? ['--external-memory-accounted-in-global-limit', '--initial-old-space-size=256']
  : [];

const shared = filesThatShare(fileURLToPath(new URL('.', import.meta.url)));

export default defineConfig({
  test: {
    globalSetup: ['test/run-folder.ts'],
    pool: 'forks',
    execArgv: youngFlags,
    maxWorkers: workers,
    sequence: { sequencer: SlowFirst },
    tags: [
      { name: 'slow', description: 'takes a second or more by nature: npm run test:slow' },
      { name: 'slower', description: 'storms, long recordings, walks in a browser: npm run test:slower' },
      { name: 'nightly', description: 'every command of the long pages, and fleets: npm run test:soak' },
    ],
    // What never ends. Nothing may depend on how long it takes here: see test/fixtures/until.ts.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 500_000 } },
    projects: [
      ...[...shared].map(([name, include]) => ({
        extends: true as const,
        test: { name, include, isolate: false, execArgv: [...youngFlags, ...sharedFlags] },
      })),
      {
        extends: true,
        test: {
          name: 'apart',
          include: ['test/**/*.test.ts'],
          exclude: ['test/built/**', ...[...shared.values()].flat()],
        },
      },
    ],
  },
});
