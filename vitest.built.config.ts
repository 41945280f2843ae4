// `npm test`: the whole suite, and what starts the command line, services and job processes on the files in dist, as users
// have them; they start in a third of the time that the sources take. `vitest run <file>` runs everything on the sources.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import sources from './vitest.config.ts';

/**
 * In the last two, job processes are built while the tools of the tests are not, as with two copies of the library in one
 * program. Sources start in all others: the library's processes in most, commands in test/cli/captions and completion.
 * What `npm run test:packages` installs is built, too.
 */
const onBuilt = [
  'test/built/*.test.ts',
  'test/chaos/storm.test.ts',
  'test/cli/{doctor,everyday,habits,inspect,models-bench,serve,tools}.test.ts',
  'test/docs/readme.test.ts',
  'test/service/serve/uncaught.test.ts',
  'test/library/runtime/{boundaries,engine}.test.ts',
];
/** What it looks at is another file in each form. */
const onBoth = ['test/cli/old-node.test.ts'];

/**
 * Every command of the long pages, which takes a minute of processor time, and the README's picture made again: each
 * night with `npm run test:soak`. What they name is checked each time (scripts/docs-links.mjs), and the README's commands
 * run each time.
 */
export const nightly = [
  'test/docs/{picture,recipes,tutorial}.test.ts',
  'test/fleet/hosts.test.ts',
  'test/service/serve/runner.test.ts',
  'test/cli/mcp/stdio.test.ts',
];

const { projects = [], ...usual } = sources.test ?? {};

export default defineConfig({
  test: {
    ...usual,
    globalSetup: ['test/run-folder.ts', 'test/readers-at-hand.ts'],
    projects: [
      ...projects.map((project) =>
        typeof project === 'object' && 'test' in project
          ? {
              ...project,
              test: { ...project.test, exclude: [...(project.test?.exclude ?? []), ...onBuilt, ...nightly] },
            }
          : project,
      ),
      {
        extends: true,
        test: { name: 'built', include: [...onBuilt, ...onBoth], env: { EARSHOT_TEST_BUILT: '1' } },
        resolve: {
          alias: [
            {
              find: /^.*\/core\/running-files\.ts$/,
              replacement: fileURLToPath(new URL('./test/fixtures/built/running-files.ts', import.meta.url)),
            },
          ],
        },
      },
    ],
  },
});
