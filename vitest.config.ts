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
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
