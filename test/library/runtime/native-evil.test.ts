// A tool that was taken over in native code, in real job processes: in each way of confinement, as root and not, fresh
// and then used again, and started ahead. What it must not reach is there, and a process beside it of the same user.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launcher } from '../../../src/library/runtime/confine/confinement.ts';
import { firstClosed } from '../../../src/library/runtime/confine/job-users.ts';
import { knownToSucceed } from '../../../src/library/runtime/confine/known-attempts.ts';
import { kernelOffers } from '../../../src/library/runtime/confine/proof.ts';
import { createEngineWith } from '../../../src/library/runtime/engine/engine.ts';
import { fixtureTool, fixtureTools } from '../../fixtures/tools/source.ts';
import { eachOf, slow } from '../../fixtures/rounds.ts';
import { isAlive } from './support.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const ordinary = 31_008;
const place = mkdtempSync(join(tmpdir(), 'earshot-native-evil-'));
const addon = join(place, 'addon', 'evil.node');
afterAll(() => rmSync(place, { recursive: true, force: true }));

const offers = kernelOffers();
const isRoot = process.getuid?.() === 0;
const closed = process.platform === 'linux' ? await firstClosed([root, process.execPath]) : null;
const hasCompiler = spawnSync('cc', ['--version']).status === 0;
const users = [
  { who: isRoot ? 'root' : 'this user', identity: {} },
  ...(isRoot && closed === null ? [{ who: 'an ordinary user', identity: { uid: ordinary, gid: ordinary } }] : []),
];
const ways = (['best', 'landlock', 'namespaces', 'uid'] as const).filter(
  (way) => offers?.seccomp && (way === 'best' ? offers.landlock > 0 || offers.namespaces : Boolean(offers[way])),
);
const isTried = ways.length > 0 && hasCompiler && launcher() !== null;
if (!isTried) console.log('Neither a fence with filters of system calls nor a compiler here: not tried');
else if (users.length < 2)
  console.log(`Not tried as another user: ${closed === null ? 'no root' : `${closed} is closed`}`);

/** Namespaces may be root's alone. */
const hasNamespaces = (identity: object): boolean =>
  JSON.parse(spawnSync(launcher() ?? '', ['--probe'], { encoding: 'utf8', ...identity }).stdout).namespaces === true;
const cases = (isTried ? users : []).flatMap(({ who, identity }) => {
  const ownRoot = hasNamespaces(identity);
  return ways
    .filter((way) => (way === 'uid' ? who === 'root' : way !== 'namespaces' || ownRoot))
    .flatMap((way) => ['again', 'ahead'].map((how) => ({ who, identity, way, how, ownRoot })));
});

interface Outcome {
  readonly pid: number;
  readonly attempts: Readonly<Record<string, string | null>>;
}

/** What an audit had in this way before there was a list of what may be called. */
const found = {
  signal_of_descriptor: 'EPERM',
  owner_of_descriptor: 'EPERM',
  signals_by_descriptor: 'EPERM',
  watch_files: 'EPERM',
  go_to_a_folder: 'EPERM',
  folder_that_is_closed: 'EPERM',
  modes_of_nothing: 'EPERM',
  file_without_a_name: 'EOPNOTSUPP',
  lease_on_input: 'EPERM',
  lock_input: 'EPERM',
  attributes_of_input: 'EPERM',
  priority_of_user: 'EPERM',
  priority_of_group: 'EPERM',
  priority_of_users_disk: 'EPERM',
  larger_stack: 'EPERM',
  requests_to_disks: 'EPERM',
};

describe.runIf(isTried)('native code in a job', () => {
  beforeAll(() => {
    chmodSync(place, 0o755);
    mkdirSync(join(place, 'addon'));
    execFileSync(process.execPath, [join(root, 'scripts/system-calls/write.mjs')]);
    const sources = globSync(join(root, 'native/confine/{try*,seccomp,limits}.c'));
    const flags = [
      '-std=gnu11',
      '-O1',
      '-shared',
      '-fPIC',
      '-pthread',
      `-I${join(root, 'node_modules/node-api-headers/include')}`,
      `-I${join(root, 'native/confine')}`,
    ];
    execFileSync('cc', [...flags, '-o', addon, join(root, 'test/fixtures/tools/native/evil.c'), ...sources]);
    chmodSync(addon, 0o755);
  });

  it.each(cases)(
    'reaches nothing that is not known: $way, as $who, $how',
    slow,
    async ({ way, identity, how, ownRoot }) => {
      const folder = mkdtempSync(join(place, 'run-'));
      const names = {
        work: join(folder, 'work'),
        outside: join(folder, 'secret.txt'),
        input: join(folder, 'input.txt'),
      };
      mkdirSync(names.work);
      for (const path of [names.outside, names.input]) writeFileSync(path, 'words', { mode: 0o600 });
      if ('uid' in identity) execFileSync('chown', ['-R', `${ordinary}:${ordinary}`, folder]);
      const victim = spawn('sleep', ['1000'], identity);
      try {
        const host = fileURLToPath(new URL('../../fixtures/tools/native/host.ts', import.meta.url));
        const { status, stdout, stderr } = spawnSync(
          process.execPath,
          [
            '--disable-warning=ExperimentalWarning',
            host,
            way,
            how,
            names.work,
            addon,
            names.outside,
            names.input,
            String(victim.pid),
          ],
          { encoding: 'utf8', cwd: '/', env: { ...process.env, HOME: folder, XDG_CACHE_HOME: folder }, ...identity },
        );
        expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
        const outcomes = stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as Outcome);
        expect(outcomes).toHaveLength(how === 'again' ? 2 : 1);
        expect(new Set(outcomes.map(({ pid }) => pid)).size).toBe(1);
        for (const { attempts } of outcomes) {
          expect(Object.keys(attempts).length).toBeGreaterThan(400);
          const through = Object.keys(attempts).filter((name) => attempts[name] === null);
          const unknown = through.filter((name) => knownToSucceed(name, way, ownRoot) === null);
          expect(unknown).toEqual(['write_own_file']);
          expect(attempts).toMatchObject(found);
          // The second filter, which the launcher alone cannot set.
          expect(attempts).toMatchObject({
            call_execve: 'EPERM',
            call_seccomp: 'EPERM',
            become_another_program: 'EPERM',
          });
        }
        expect(isAlive(victim.pid ?? 0)).toBe(true);
        expect([names.outside, names.input].map((path) => readFileSync(path, 'utf8'))).toEqual(['words', 'words']);
      } finally {
        victim.kill('SIGKILL');
      }
    },
  );

  const runIn = async (confinement: (typeof ways)[number], behaviour: string, bytes: number): Promise<unknown> => {
    const url = new URL('../../fixtures/tools/evil.ts', import.meta.url).href;
    const tempDir = mkdtempSync(join(place, `${behaviour}-`));
    await using engine = createEngineWith(
      { ...fixtureTools, runModuleUrl: () => url, preloadUrls: [url] },
      { confinement, maxJobMemoryBytes: bytes, modelsDir: join(place, 'addon'), tempDir },
    );
    const ran = engine.run(fixtureTool, [], { behaviour, text: addon }, { outputDir: tempDir });
    return await ran.then(
      ({ result }) => result,
      (thrown: unknown) => thrown,
    );
  };

  it.each(ways)('that fills page tables is ended by its bound: %s', slow, async (confinement) => {
    expect(await runIn(confinement, 'tables', 150 * 2 ** 20)).toMatchObject({
      code: 'limit_exceeded',
      details: { limit: 'maxJobMemoryBytes' },
    });
    // With room for them, addresses are what ends: some 64 GiB, and 2 MiB of tables for each.
    const { gibibytes } = (await runIn(confinement, 'tables', 2 ** 30)) as { gibibytes: number };
    expect(gibibytes).toBeGreaterThan(16);
    expect(gibibytes).toBeLessThan(128);
  });

  eachOf(ways)('that starts threads without an end has at most 1,024, or is ended: %s', async (confinement) => {
    const said = (await runIn(confinement, 'threads', 2 ** 30)) as { started?: number; code?: string };
    if (said.started === undefined) expect(said).toMatchObject({ code: 'limit_exceeded' });
    else expect(said.started).toBeLessThanOrEqual(1024);
  });
});
