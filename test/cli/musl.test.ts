// What somebody reads on Alpine: one sentence with what to do, before anything is started. The Node that runs here says
// that its program is one which musl starts.
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mainPath } from '../fixtures/built/main-path.ts';
import { useFolder } from './support.ts';
import { slow } from '../fixtures/rounds.ts';

const folder = useFolder();
const root = new URL('../../', import.meta.url);
const said =
  'earshot needs glibc, and this Node is built with musl (Alpine). Use a Debian-based image such as node:24-slim.';

/** A program that is started by this loader; it is never run. */
function programOf(loader: string): string {
  const path = join(folder(), 'node');
  writeFileSync(`${path}.c`, 'int main(void) { return 0; }');
  execFileSync('cc', ['-o', path, `${path}.c`, `-Wl,--dynamic-linker=${loader}`]);
  return path;
}

function runAs(execPath: string, ...args: string[]) {
  const pretend = `Object.defineProperty(process, 'execPath', { value: ${JSON.stringify(execPath)} })`;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, ...args],
    { encoding: 'utf8' },
  );
  return { status, stdout, stderr };
}

describe.runIf(process.platform === 'linux')('on musl', () => {
  it.each(['/lib/ld-musl-x86_64.so.1', '/lib/ld-musl-aarch64.so.1'])(
    'the command line says so (%s)',
    slow,
    (loader) => {
      for (const args of [['--version'], ['loudness', 'missing.wav'], ['serve']])
        expect(runAs(programOf(loader), mainPath, ...args)).toEqual({ status: 1, stdout: '', stderr: `${said}\n` });
    },
  );

  it.each(['index', 'server', 'sound'])('the library says so when it is imported (%s)', slow, (entry) => {
    const path = process.env['EARSHOT_TEST_BUILT'] ? `dist/${entry}.js` : `src/${entry}.ts`;
    const program = `import(${JSON.stringify(new URL(path, root))})
      .then(() => console.log('loaded'), (error) => console.log(error.message));`;
    const imported = (loader: string) =>
      runAs(programOf(loader), '--input-type=module', '--eval', program).stdout.trim();
    expect(imported('/lib/ld-musl-x86_64.so.1')).toBe(said);
    expect(imported('/lib64/ld-linux-x86-64.so.2')).toBe('loaded');
  });

  it('is not taken for granted where the program of this process cannot be read', () => {
    expect(runAs('/gone/node', mainPath, '--version').status).toBe(0);
  });
});
