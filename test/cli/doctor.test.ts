// @module-tag slower
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { judge } from '../../src/cli/doctor/confinement.ts';
import { type Confinement, launcher } from '../../src/library/runtime/confine/confinement.ts';
import { kernelOffers } from '../../src/library/runtime/confine/proof.ts';
import { earshot, useFolder } from './support.ts';

const folder = useFolder();

interface Report {
  readonly findings: readonly {
    readonly subject: string;
    readonly state: string;
    readonly says: string;
    readonly facts?: {
      readonly attempts?: Readonly<Record<string, string | null>>;
      readonly known?: Readonly<Record<string, string>>;
    };
  }[];
}

async function report(environment: Readonly<Record<string, string>>): Promise<Report['findings']> {
  const { code, stdout, stderr } = await earshot(folder(), ['doctor', '--json'], { environment });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return (JSON.parse(stdout) as Report).findings;
}

it('says what works here, a line for each part', async () => {
  const { code, stdout } = await earshot(folder(), ['doctor']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ok {2}native kernels {7}loaded, (avx2|baseline)$/m);
  expect(stdout).toMatch(/^ok {2}media library {8}FFmpeg \d/m);
  expect(stdout).toMatch(/^ok {2}models .*whisper-base/m);
  expect(stdout).toMatch(/^ok {2}networks .*7 of 7 answer correctly$/m);
  expect(stdout).toMatch(/^ok {2}job processes {8}Node \d+\.\d+\.\d+, that of this process$/m);
  expect(stdout).toMatch(/^(ok|--) {2}confinement of jobs /m);
});

it('says when what jobs would run on is no Node', async () => {
  const { code, stdout } = await earshot(folder(), ['doctor'], { environment: { EARSHOT_NODE: '/bin/false' } });
  expect(code).not.toBe(0);
  expect(stdout).toMatch(/^NO {2}job processes .*false \(EARSHOT_NODE\) ends with exit code 1/m);
});

it('notices one changed byte in a model', async () => {
  const cwd = folder();
  const house = fileURLToPath(new URL('../../models/silero-vad', import.meta.url));
  const own = join(cwd, 'models');
  mkdirSync(own);
  cpSync(house, join(own, 'silero-vad'), { recursive: true });
  const environment = { EARSHOT_MODELS: own };
  const models = async (): Promise<{ code: number | null; says: string; state: string }> => {
    const { code, stdout } = await earshot(cwd, ['doctor', '--json'], { environment });
    const found = (JSON.parse(stdout) as Report).findings.find(({ subject }) => subject === 'models');
    return { code, says: found?.says ?? '', state: found?.state ?? '' };
  };
  expect(await models()).toMatchObject({
    state: 'fine',
    says: expect.stringMatching(/silero-vad.*: \d+ MB read in .* all correct/) as string,
  });
  const manifest = JSON.parse(readFileSync(join(house, '..', 'manifest.json'), 'utf8')) as unknown;
  const name =
    /"name": ?"([^"]+\.onnx)"/.exec(
      JSON.stringify(manifest).slice(JSON.stringify(manifest).indexOf('silero-vad')),
    )?.[1] ?? '';
  const path = join(own, 'silero-vad', name);
  const bytes = readFileSync(path);
  bytes[bytes.length >> 1]! ^= 1;
  writeFileSync(path, bytes);
  expect(await models()).toMatchObject({ code: 1, state: 'broken', says: 'damaged: silero-vad' });
});

describe.runIf(launcher() !== null)('confinement', () => {
  const offers = kernelOffers();
  it.each(['landlock', 'namespaces', 'uid'] as const)('by %s is proved by trying', async (EARSHOT_CONFINEMENT) => {
    if (!offers?.[EARSHOT_CONFINEMENT] || !offers.seccomp)
      return console.log(`This kernel has no ${EARSHOT_CONFINEMENT} for us: not tried`);
    const found = (await report({ EARSHOT_CONFINEMENT })).find(({ subject }) => subject === 'confinement of jobs');
    // An older Landlock leaves some of it to the filters alone.
    const isOld = EARSHOT_CONFINEMENT === 'landlock' && offers.landlock < 6;
    expect(found).toMatchObject({ state: isOld ? 'limited' : 'fine' });
    const { write_own_file: own, ...others } = found?.facts?.attempts ?? {};
    expect(own).toBeNull();
    expect(Object.keys(others).length).toBeGreaterThan(400);
    const through = Object.keys(others).filter((name) => others[name] === null);
    expect(through.filter((name) => found?.facts?.known?.[name] === undefined)).toEqual([]);
    // Entries of /proc are tried one by one: 13 are what every process needs, and a user alone reads those of all.
    const entries = through.filter((name) => name.startsWith('proc_')).length;
    if (EARSHOT_CONFINEMENT !== 'uid') expect(entries).toBeLessThanOrEqual(13);
    expect(through.length - entries).toBeLessThanOrEqual({ landlock: 10, namespaces: 4, uid: 8 }[EARSHOT_CONFINEMENT]);
    // Beyond the memory that its limit counts.
    expect(others).toMatchObject({
      memory_beyond_the_bound: 'ENOMEM',
      memory_that_is_shared: 'EPERM',
      memory_that_grows: 'EPERM',
      memory_as_a_file: 'ENOSYS',
    });
  });

  it('with an older Landlock is not called fine: what the filters alone refuse is named', () => {
    const attempts = [
      { name: 'write_own_file', refusedBy: null, known: null },
      { name: 'read_file', refusedBy: 'EACCES', known: null },
    ];
    const told = (landlock: number, chosen: Confinement = 'best', namespaces = false): string => {
      const {
        state,
        says,
        nextAction = '',
      } = judge(chosen, { landlock, seccomp: true, namespaces, uid: true }, attempts, null);
      return `${state}: ${says} ${nextAction}`;
    };
    const refused = (landlock: number): string =>
      `: Landlock ${landlock} and filters of system calls: 1 of 1 attempts refused`;
    for (const version of [1, 2])
      expect(told(version)).toBe(
        `limited${refused(version)}, the emptying of files, and signals to other processes, by the filters alone ` +
          'Linux 6.12 or later refuses them twice, see docs/confinement.md',
      );
    for (const version of [3, 4, 5])
      expect(told(version, 'landlock')).toContain(
        `limited${refused(version)}, signals to other processes by the filters alone`,
      );
    for (const version of [6, 7]) expect(told(version)).toBe(`fine${refused(version)} `);
    // What may only be read is mounted so beside Landlock; signals go by neither.
    for (const version of [1, 2, 5])
      expect(told(version, 'best', true)).toContain(
        `limited: Landlock ${version}, namespaces and filters of system calls: 1 of 1 attempts refused, signals to ` +
          'other processes by',
      );
    expect(told(6, 'best', true)).toMatch(/^fine: Landlock 6, namespaces and filters/);
    // They rest on the filters with every kernel.
    for (const chosen of ['namespaces', 'uid'] as const) expect(told(2, chosen, true)).toMatch(/^fine: /);
  });

  it('names what was reached, and says of what is known to succeed that it leads nowhere', () => {
    const offers = { landlock: 7, seccomp: true, namespaces: true, uid: true };
    const own = { name: 'write_own_file', refusedBy: null, known: null };
    const known = { name: 'deep_folders', refusedBy: null, known: 'its host counts it' };
    const reached = { name: 'read_file', refusedBy: null, known: null };
    expect(judge('best', offers, [own, known], null)).toMatchObject({
      state: 'fine',
      says:
        'Landlock 7, namespaces and filters of system calls: 0 of 1 attempts refused (1 lead nowhere: ' +
        'docs/confinement.md)',
    });
    expect(judge('best', offers, [own, known, reached], null)).toMatchObject({
      state: 'limited',
      says: 'Landlock 7, namespaces and filters of system calls: 1 of 2 attempts succeeded: read_file',
    });
  });

  it('whose system calls are only logged is not called fine', async () => {
    const found = (await report({ EARSHOT_SYSTEM_CALLS: 'log' })).find(
      ({ subject }) => subject === 'confinement of jobs',
    );
    expect(found).toMatchObject({
      state: 'limited',
      says: expect.stringMatching(/^system calls are logged and not refused; /) as string,
      nextAction: 'unset EARSHOT_SYSTEM_CALLS',
    });
  });

  it('that is switched off is said', async () => {
    const found = await report({ EARSHOT_CONFINEMENT: 'off' });
    expect(found.at(-1)).toMatchObject({ state: 'limited', says: 'switched off' });
  });

  it('of another name is refused', async () => {
    const { code, stderr } = await earshot(folder(), ['doctor'], { environment: { EARSHOT_CONFINEMENT: 'yes' } });
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('EARSHOT_CONFINEMENT') });
  });
});
