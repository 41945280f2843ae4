// Which test notices a variation of a source file: what moves no figure may still be held by a test.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { root } from './source-constants.ts';
import { storePath } from './store.ts';
import type { Edit } from './variations.ts';

interface Report {
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** Names of the quick tests that fail. @param variation of a file below src/library; null: as it is */
async function failing(
  tests: readonly string[],
  variation: { readonly file: string; readonly edits: readonly Edit[] } | null,
): Promise<readonly string[]> {
  const config = fileURLToPath(new URL('vary-tests.config.ts', import.meta.url));
  const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
  const report = storePath(`held-by-${process.pid}.json`);
  const varied =
    variation === null
      ? {}
      : {
          EARSHOT_VARIED_SOURCE: JSON.stringify({
            url: pathToFileURL(`${root}src/library/${variation.file}`).href,
            edits: variation.edits,
          }),
        };
  const args = [vitest, 'run', '--config', config, '--reporter=json', `--outputFile=${report}`, ...tests];
  const run = spawn(process.execPath, args, { cwd: root, env: { ...process.env, ...varied }, stdio: 'ignore' });
  await new Promise((resolve) => run.once('close', resolve));
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  return testResults.flatMap(({ message, assertionResults }) => {
    const failed = assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName.trim());
    return failed.length === 0 && message !== '' ? [message.slice(0, 80)] : failed;
  });
}

const asItIs = new Map<string, Promise<readonly string[]>>();

/**
 * The first quick test that fails because of a variation; null: none does.
 * @param tests files or folders of tests
 */
export async function heldBy(tests: readonly string[], file: string, edits: readonly Edit[]): Promise<string | null> {
  const key = tests.join(' ');
  const before = asItIs.get(key) ?? failing(tests, null);
  asItIs.set(key, before);
  const known = await before;
  return (await failing(tests, { file, edits })).find((name) => !known.includes(name)) ?? null;
}
