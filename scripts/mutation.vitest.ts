// The tests that scripts/mutation.ts asks for.
import { defineConfig } from 'vitest/config';
import usual from '../vitest.config.ts';

/** Each fault waits for them. */
const quick = { tagsFilter: ['!slower', '!nightly'] };

export default defineConfig({
  test: {
    include: JSON.parse(process.env['EARSHOT_TESTS'] ?? '[]') as string[],
    tags: usual.test?.tags ?? [],
    ...quick,
    globalSetup: ['test/run-folder.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
