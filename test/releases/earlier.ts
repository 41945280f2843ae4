// An earlier commit, installed and built in a folder of its own as on a machine that has not been updated.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface Earlier extends Disposable {
  readonly commit: string;
  /** Of its command line. */
  readonly main: string;
  /** Whether it can on a database that a newer one has migrated (docs/decisions/service/0064). */
  readonly startsAgain: boolean;
}

/** @param commit or tag of this repository's history */
export function installEarlier(commit: string): Earlier {
  const git = (...words: readonly string[]): Buffer =>
    execFileSync('git', words, { cwd: root, maxBuffer: 1024 * 1024 * 1024 });
  const id = git('rev-parse', '--short', `${commit}^{commit}`).toString().trim();
  const folder = mkdtempSync(join(tmpdir(), 'earshot-earlier-'));
  try {
    const place = join(folder, 'earshot');
    mkdirSync(place);
    execFileSync('tar', ['-x', '-C', place], { input: git('archive', '--format=tar', id) });
    // Workers prefer orders of their own version: another number, as releases have.
    const file = join(place, 'package.json');
    const contents = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    writeFileSync(file, JSON.stringify({ ...contents, version: `0.0.1-${id}` }, null, 2));
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: place, stdio: ['ignore', 'ignore', 'ignore'] });
    return {
      commit: id,
      main: join(place, 'dist/cli/main.js'),
      startsAgain: existsSync(join(place, 'src/service/adapters/postgres/migrations/run.ts')),
      [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
    };
  } catch (thrown) {
    rmSync(folder, { recursive: true, force: true });
    throw thrown;
  }
}
