// What `npm test`, `npm run test:slow` and `npm run test:slower` have in common: what starts the command line, services
// and job processes takes the files in dist, as users have them; they start in a third of the time that the sources
// take. `vitest run <file>` runs everything on the sources.
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import sources from '../../vitest.config.ts';

type Part = 'quick' | 'slow' | 'slower' | 'all';

/**
 * These look at the sources' own files, at which of them a process loads, or hand modules of their own to job
 * processes; one shows that a checkout which was never built works.
 */
const onSources = [
  'test/library/core/start/whole-installation.test.ts',
  'test/library/runtime/{process/compile-cache,job/fan-out,from-sources,what-loads}.test.ts',
  'test/library/tools/registry.test.ts',
  'test/service/http/site/front.test.ts',
];
/** Node 22 knows no `using` and reads only what is built. */
const readsSources = Number(process.versions.node.split('.')[0]) >= 24;
/** Copies the sources, adds to them, and starts them. */
const startsSources = readsSources ? [] : ['test/docs/adding-a-tool.test.ts'];
/** What it looks at is another file in each form. */
const onBoth = ['test/cli/old-node.test.ts'];

/**
 * Job processes, threads and commands start from dist; what a test itself imports stays the source, as with two copies
 * of the library in one program. What `npm run test:packages` installs is built, too.
 */
const resolve = {
  alias: [
    {
      find: /^.*\/core\/running-files\.ts$/,
      replacement: fileURLToPath(new URL('../fixtures/built/running-files.ts', import.meta.url)),
    },
  ],
};

const isWhole = (tags: string, text: string): boolean => new RegExp(`@module-tag (?:${tags})\\b`, 'u').test(text);
/** What of test/fixtures/rounds.ts a file takes. */
const takes = (names: string, text: string): boolean =>
  new RegExp(`\\b(?:${names})\\b[^}]*\\} from '[^']*fixtures/rounds\\.ts'`, 'u').test(text);

/** Files without a test of this part need not be loaded to find none. */
const leftOut: Readonly<Record<Part, (text: string) => boolean>> = {
  quick: (text) => isWhole('slow|slower|nightly', text),
  slow: (text) => isWhole('slower|nightly', text) || !(isWhole('slow', text) || takes('slow', text)),
  slower: (text) => isWhole('nightly', text) || !(isWhole('slower', text) || takes('slower|eachOf|forOf|someOf', text)),
  all: () => false,
};

const tags: Readonly<Record<Part, string[]>> = {
  quick: ['!slow', '!slower'],
  slow: ['slow', '!slower'],
  slower: ['slower'],
  all: [],
};

const { projects = [], ...usual } = sources.test ?? {};

/** @param part see test/fixtures/rounds.ts */
export function built(part: Part): ViteUserConfig {
  const env = { EARSHOT_TEST_BUILT: '1', EARSHOT_TEST_PART: part };
  const without = globSync('test/**/*.test.ts').filter((file) => leftOut[part](readFileSync(file, 'utf8')));
  const inPart = (include: readonly string[]): string[] =>
    globSync([...include]).filter((file) => !without.includes(file));
  return defineConfig({
    test: {
      ...usual,
      ...(part === 'all' ? {} : { tagsFilter: tags[part] }),
      globalSetup: ['test/run-folder.ts', 'test/readers-at-hand.ts'],
      projects: [
        ...projects.map((project) =>
          typeof project === 'object' && 'test' in project
            ? {
                ...project,
                resolve,
                test: {
                  ...project.test,
                  env,
                  exclude: [...(project.test?.exclude ?? []), ...onSources, ...startsSources, ...without],
                },
              }
            : project,
        ),
        { extends: true, resolve, test: { name: 'built', include: inPart(['test/built/*.test.ts']), env } },
        ...(readsSources
          ? [
              {
                extends: true as const,
                test: { name: 'sources', include: inPart([...onSources, ...onBoth]), env: { EARSHOT_TEST_PART: part } },
              },
            ]
          : []),
      ],
    },
  });
}
