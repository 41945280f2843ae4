// Library and commands where there is next to nothing: a read-only disk but for /tmp, no HOME, a user that no list has,
// no /dev/shm, neither Landlock nor namespaces, as in AWS Lambda. The service says what it needs.
import { execFile, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { packagePath } from '../../../src/library/core/running-files.ts';
import { skipForMissing, skipHere } from '../../fixtures/missing-part.ts';
import { recording } from '../../fixtures/recordings.ts';
import { slow, slower } from '../../fixtures/rounds.ts';

/** The built ones where those are tested: Node 22 cannot read the sources. */
const [main, surface] = process.env['EARSHOT_TEST_BUILT']
  ? ['/opt/task/dist/cli/main.js', '/opt/task/dist/index.js']
  : ['/opt/task/src/cli/main.ts', '/opt/task/src/index.ts'];
const fixture = (name: string): string => fileURLToPath(new URL(`../../fixtures/systems/${name}`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'earshot-bare-'));
const [files, fence] = [join(folder, 'files'), join(folder, 'no-fence')];
let unable: string | null = null;
let hasCompiler = true;

beforeAll(() => {
  mkdirSync(files);
  copyFileSync(recording('jfk.wav'), join(files, 'jfk.wav'));
  writeFileSync(
    join(files, 'program.mjs'),
    `import { createEngine } from '${surface}';
     const engine = createEngine();
     const { outputs } = await engine.run('convert_audio', 'jfk.wav', { format: 'flac' }, { outputDir: '/tmp' });
     await engine.close();
     console.log(outputs[0].path);`,
  );
  hasCompiler = spawnSync('cc', ['-O1', '-o', fence, fixture('no-fence.c')], { stdio: 'inherit' }).status === 0;
  if (process.platform !== 'linux') unable = 'it is a Linux that is taken apart';
  else if (process.getuid?.() !== 0) unable = 'only root may take a system apart';
  else if (spawnSync('unshare', ['--mount', '--pid', '--fork', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status !== 0)
    unable = 'this system allows no mounts';
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the command says on both of its streams. */
async function onBareSystem(command: readonly string[], environment: Record<string, string> = {}): Promise<string> {
  const node = process.execPath.startsWith(realpathSync(packagePath('node_modules')))
    ? `/opt/task/node_modules/${process.execPath.slice(realpathSync(packagePath('node_modules')).length + 1)}`
    : process.execPath;
  const env = { ...process.env, PROJECT: packagePath('.'), FILES: files, FENCE: fence, ...environment };
  const { stdout, stderr } = await promisify(execFile)(fixture('bare-system.sh'), [node, ...command], { env }).catch(
    (thrown: { readonly stdout: string; readonly stderr: string }) => thrown,
  );
  return stdout + stderr;
}
const earshot = (...given: readonly string[]): Promise<string> => onBareSystem([main, ...given]);

describe('on a system with next to nothing', () => {
  beforeEach((context) => {
    if (unable !== null) skipHere(context, unable);
    if (!hasCompiler) skipForMissing(context, 'cc');
  });

  it('commands work', slow, async () => {
    expect(await earshot('loudness', 'jfk.wav', '-o', '/tmp/out.wav')).toMatch(/to -16 LUFS, true peak/);
  });

  it('speech is written down', slower, async () => {
    expect(await earshot('transcribe', 'jfk.wav', '-o', '/tmp/out.txt')).toMatch(/Whisper base, English, 22 words/);
  });

  it('commands work without /proc', slow, async () => {
    const program = [main, 'loudness', 'jfk.wav', '-o', '/tmp/out.wav'];
    expect(await onBareSystem(program, { PROC: 'no' })).toMatch(/to -16 LUFS, true peak/);
  });

  it('the library works', async () => {
    expect(basename((await onBareSystem(['/tmp/program.mjs'])).trim())).toBe('jfk.convert.flac');
  });

  it('the service says that its own database needs a user with a name, and what helps', slow, async () => {
    const said = await earshot('serve', '--data', '/tmp/data', '--port', '0');
    expect(said).toMatch(/PostgreSQL needs a user with a name but user 12345 has none/);
    expect(said).toContain('DATABASE_URL');
  });
});
