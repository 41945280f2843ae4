// `npm run test:soak`: the tests that try less in `npm test` with all that they can try (test/fixtures/rounds.ts), and
// those that no change runs.
import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import sources from '../../vitest.config.ts';

/** Those that import the fixture, ask for the soak themselves, or run only at night. */
const filesWithMore = globSync('test/**/*.test.ts').filter((file) =>
  /\brounds\(|EARSHOT_TEST_SOAK|@module-tag nightly/u.test(readFileSync(file, 'utf8')),
);

const { projects: _, ...usual } = sources.test ?? {};

export default defineConfig({
  test: {
    ...usual,
    include: filesWithMore,
    env: { EARSHOT_TEST_SOAK: '1' },
  },
});
