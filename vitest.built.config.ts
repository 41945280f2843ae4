// `npm run test:built`: the tests of processes and commands once more, on the files in dist. In them job processes are built
// while the tools of the tests are not, as with two copies of the library in one program. The built service is started by
// `npm run test:packages`, as it is installed.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import sources from './vitest.config.ts';

const { projects: _, ...usual } = sources.test ?? {};

export default defineConfig({
  test: {
    ...usual,
    include: ['test/built/*.test.ts', 'test/runtime/{boundaries,engine}.test.ts', 'test/cli/{tools,old-node}.test.ts'],
    exclude: [],
    env: { EARSHOT_TEST_BUILT: '1' },
    alias: [
      {
        find: /^.*\/core\/running-files\.ts$/,
        replacement: fileURLToPath(new URL('./test/fixtures/built/running-files.ts', import.meta.url)),
      },
    ],
  },
});
