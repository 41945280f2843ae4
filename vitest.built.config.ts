// `npm test`: the whole suite, and what starts the command line, services and job processes on the files in dist, as users
// have them; they start in a third of the time that the sources take. `vitest run <file>` runs everything on the sources.
import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { nightly } from './test/nightly.ts';
import sources from './vitest.config.ts';

/**
 * These look at the sources' own files, at which of them a process loads, or hand modules of their own to job processes;
 * one shows that a checkout which was never built works.
 */
const onSources = [
  'test/library/core/whole-installation.test.ts',
  'test/library/runtime/{compile-cache,fan-out,from-sources,what-loads}.test.ts',
  'test/library/tools/registry.test.ts',
  'test/service/http/site/front.test.ts',
];
/** Node 22 knows no `using` and reads only what is built. */
const readsSources = Number(process.versions.node.split('.')[0]) >= 24;
/** Copies the sources, adds to them, and starts them. */
const startsSources = readsSources ? [] : ['test/docs/adding-a-tool.test.ts'];
/** What it looks at is another file in each form. */
const onBoth = ['test/cli/old-node.test.ts'];

const { projects = [], ...usual } = sources.test ?? {};

/**
 * Job processes, threads and commands start from dist; what a test itself imports stays the source, as with two copies
 * of the library in one program. What `npm run test:packages` installs is built, too.
 */
/** Of long tables and of slow tests on recordings a part is chosen by chance, see test/fixtures/rounds.ts. */
const seed = (process.env['EARSHOT_TEST_SEED'] ??= String(randomInt(1_000_000)));
const env = {
  EARSHOT_TEST_BUILT: '1',
  EARSHOT_TEST_CASES: process.env['EARSHOT_TEST_CASES'] ?? 'some',
  EARSHOT_TEST_SEED: seed,
};
const resolve = {
  alias: [
    {
      find: /^.*\/core\/running-files\.ts$/,
      replacement: fileURLToPath(new URL('./test/fixtures/built/running-files.ts', import.meta.url)),
    },
  ],
};

export default defineConfig({
  test: {
    ...usual,
    globalSetup: ['test/run-folder.ts', 'test/readers-at-hand.ts', 'test/say-seed.ts'],
    projects: [
      ...projects.map((project) =>
        typeof project === 'object' && 'test' in project
          ? {
              ...project,
              resolve,
              test: {
                ...project.test,
                env,
                exclude: [...(project.test?.exclude ?? []), ...onSources, ...startsSources, ...nightly],
              },
            }
          : project,
      ),
      { extends: true, resolve, test: { name: 'built', include: ['test/built/*.test.ts'], env } },
      ...(readsSources
        ? [{ extends: true as const, test: { name: 'sources', include: [...onSources, ...onBoth] } }]
        : []),
    ],
  },
});
