import { defineConfig } from 'vitest/config';
import SlowFirst from './test/slow-first.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/built/**'],
    globalSetup: ['test/run-folder.ts'],
    pool: 'forks',
    maxWorkers: 2,
    sequence: { sequencer: SlowFirst },
    // What never ends. Nothing may depend on how long it takes here: see test/fixtures/until.ts.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 500_000 } },
  },
});
