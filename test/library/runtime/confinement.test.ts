// The auditor: a tool that has been taken over, in a real job process. What it must not reach is really there, and
// another process of the same user does reach it.
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Warning } from '../../../src/library/core/progress/progress.ts';
import { compileCacheFolder } from '../../../src/library/runtime/process/compile-cache.ts';
import { type Confinement, launcher } from '../../../src/library/runtime/confine/confinement.ts';
import { createEngineWith } from '../../../src/library/runtime/engine/engine.ts';
import type { UntypedEngine, EngineOptions, ToolSource } from '../../../src/library/runtime/engine/engine-types.ts';
import { kernelOffers } from '../../../src/library/runtime/confine/proof.ts';
import { garbage, type Targets } from '../../fixtures/tools/evil.ts';
import { fixtureTool, fixtureTools } from '../../fixtures/tools/source.ts';
import { rejection, useEngines } from './support.ts';
import { until } from '../../fixtures/until.ts';
import { slow } from '../../fixtures/rounds.ts';

const { folder } = useEngines();
const url = new URL('../../fixtures/tools/evil.ts', import.meta.url).href;
const evilTools: ToolSource = { ...fixtureTools, runModuleUrl: () => url, preloadUrls: [url] };

const engines: UntypedEngine[] = [];
const servers: Server[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
  for (const server of servers.splice(0)) server.close();
  vi.unstubAllEnvs();
});

function evilEngine(options: EngineOptions = {}): UntypedEngine {
  const made = createEngineWith(evilTools, { tempDir: folder(), ...options });
  engines.push(made);
  return made;
}

const offers = kernelOffers();
const ways = (['landlock', 'namespaces', 'uid'] as const).filter((way) => {
  const there = offers !== null && offers.seccomp && Boolean(offers[way]);
  if (!there) console.log(`This kernel has no ${way} with filters of system calls for us: not tried`);
  return there;
});
if (process.platform === 'linux' && process.env['CI'] !== undefined)
  it('there is a launcher', () => expect(launcher()).not.toBeNull());

/** A user of its own may do what everybody may on a machine; nothing of a service is among it. */
const openToEverybody: Readonly<Record<string, readonly string[]>> = {
  uid: ['password file', 'write to the temporary folder'],
};
const planted = '/tmp/earshot-planted';
afterEach(() => rmSync(planted, { force: true }));

const listening = (server: Server, where: { port: number; host: string } | { path: string }): Promise<void> =>
  new Promise((resolve) => {
    servers.push(server);
    server.listen(where, resolve);
  });

interface Scene {
  readonly targets: Targets;
  readonly input: string;
  readonly hostFolder: string;
}

/** A host with something to lose: files of others, servers, another run. */
async function scene(): Promise<Scene> {
  const hostFolder = folder();
  const input = join(hostFolder, 'input.txt');
  writeFileSync(input, 'the input');
  writeFileSync(join(hostFolder, 'secret.txt'), 'a secret');
  const strangersObject = join(hostFolder, '.earshot-objects', 'originals', 'of-somebody-else');
  mkdirSync(join(strangersObject, '..'), { recursive: true });
  writeFileSync(strangersObject, 'a secret');
  const otherRun = join(hostFolder, '.earshot-other', 'run');
  mkdirSync(otherRun, { recursive: true });
  const server = createServer((socket) => socket.end());
  await listening(server, { port: 0, host: '127.0.0.1' });
  const socketPath = join(hostFolder, 'database.sock');
  await listening(
    createServer((socket) => socket.end()),
    { path: socketPath },
  );
  await listening(
    createServer((socket) => socket.end()),
    { path: '\0earshot-test' },
  );
  const { port } = server.address() as { port: number };
  return {
    input,
    hostFolder,
    targets: {
      strangersFile: join(hostFolder, 'secret.txt'),
      strangersObject,
      hostFolder,
      hostPid: process.pid,
      port,
      socketPath,
      otherRun,
      sources: fileURLToPath(new URL('../../../src/library/runtime', import.meta.url)),
      compiled: compileCacheFolder() ?? hostFolder,
      program: launcher() ?? '/bin/true',
    },
  };
}

const before = (path: string): object => {
  const { mode, mtimeMs, size } = statSync(path);
  return { mode, mtimeMs, size };
};

describe.runIf(ways.length > 0).each(ways)('a job process that was taken over, fenced by %s', (way) => {
  const confinement: Confinement = way;

  it.each([false, true])('reaches nothing of its host (kept ready before: %j)', slow, async (prefork) => {
    const { targets, input, hostFolder } = await scene();
    const inputBefore = before(input);
    const engine = evilEngine({ confinement, prefork, tempDir: hostFolder });
    const { result } = await engine.run(
      fixtureTool,
      [input],
      { behaviour: 'reach', text: JSON.stringify(targets) },
      { outputDir: hostFolder },
    );
    if (!prefork)
      for (const [name, outcome] of Object.entries(result as Record<string, string>))
        console.log(`${way}: ${name}: ${outcome}`);
    const reached = Object.entries(result)
      .filter(([, outcome]) => outcome === 'reached')
      .map(([name]) => name);
    expect(reached).toEqual(openToEverybody[way] ?? []);
    expect(Object.keys(result).length).toBeGreaterThan(35);
    // Refused by the bars, not by a slip of the test.
    const refusals = ['EACCES', 'EPERM', 'ENOENT', 'EROFS', 'EXDEV', 'ENOTDIR', 'EISDIR'];
    expect(
      Object.values(result).filter((outcome) => outcome !== 'reached' && !refusals.includes(outcome as string)),
    ).toEqual([]);
    expect(before(input)).toEqual(inputBefore);
    expect(readFileSync(input, 'utf8')).toBe('the input');
    expect(
      readdirSync(hostFolder)
        .filter((name) => !name.startsWith('.earshot-'))
        .sort(),
    ).toEqual(['database.sock', 'input.txt', 'secret.txt']);
    expect(readdirSync(targets.otherRun)).toEqual([]);
  });

  it('reads the input that it was given, whatever links lead to it', slow, async () => {
    const place = folder();
    // Nobody else may read it.
    writeFileSync(join(place, 'real.txt'), 'x', { mode: 0o600 });
    symlinkSync(join(place, 'real.txt'), join(place, 'link.txt'));
    for (const prefork of [false, true]) {
      const engine = createEngineWith(fixtureTools, { tempDir: folder(), confinement, prefork });
      engines.push(engine);
      const named = { path: join(place, 'link.txt'), name: 'Interview: 1.txt' };
      const { result } = await engine.run(fixtureTool, [named], { behaviour: 'readInputs' }, { outputDir: folder() });
      expect(result).toEqual({ texts: ['x'], names: ['Interview: 1.txt'] });
    }
  });

  it('names inputs in its messages, not the links to them', slow, async () => {
    const path = join(folder(), 'object.bin');
    writeFileSync(path, 'x', { mode: 0o600 });
    // The path of the first, in/1, is the beginning of the path of the last.
    const names = ['Notes', ...Array.from({ length: 9 }, (_, index) => `Take ${index + 2}: $&.wav`)];
    const engine = createEngineWith(fixtureTools, { tempDir: folder(), confinement });
    engines.push(engine);
    const warnings: string[] = [];
    const inputs = names.map((name) => ({ path, name }));
    const control = { outputDir: folder(), onWarning: ({ message }: Warning) => void warnings.push(message) };
    const thrown = await rejection(engine.run(fixtureTool, inputs, { behaviour: 'nameInputs' }, control));
    expect([...warnings, thrown.message]).toEqual([`Read ${names.join(', ')}`, `Cannot read ${names.join(', ')}`]);
  });

  it('gets no memory beyond its bound, at once', slow, async () => {
    const engine = evilEngine({ confinement, maxJobMemoryBytes: 300 * 2 ** 20 });
    const thrown = await rejection(
      engine.run(fixtureTool, [], { behaviour: 'memory', bytes: 8 * 2 ** 30 }, { outputDir: folder() }),
    );
    expect(thrown).toMatchObject({ code: 'limit_exceeded', details: { limit: 'maxJobMemoryBytes' } });
    expect(thrown.message).toBe('The job needed more than its limit of 300 MiB of memory');
  });

  it('may set memory aside that it never uses: only what is used counts', async () => {
    const engine = evilEngine({ confinement, maxJobMemoryBytes: 300 * 2 ** 20 });
    const { result } = await engine.run(
      fixtureTool,
      [],
      { behaviour: 'memory-at-once', bytes: 2 ** 31 },
      { outputDir: folder() },
    );
    expect(result).toEqual({ bytes: 2 ** 31 });
  });

  it('is refused memory by the kernel that no honest job sets aside', async () => {
    const engine = evilEngine({ confinement, maxJobMemoryBytes: 300 * 2 ** 20 });
    const thrown = await rejection(
      // Of the sixteen pieces the first ones are had: 8 GiB and more of them are not.
      engine.run(fixtureTool, [], { behaviour: 'memory-reserved', bytes: 2 ** 36 }, { outputDir: folder() }),
    );
    expect(thrown).toMatchObject({
      code: 'limit_exceeded',
      message: 'The job needed more than its limit of 300 MiB of memory',
      details: { received: null },
    });
  });
});

describe('whatever the system offers', () => {
  it(
    'a job process sees no secrets of the host in its environment, and no descriptors but its channels',
    slow,
    async () => {
      vi.stubEnv('EARSHOT_DATABASE_URL', 'postgres://user:secret@db/earshot');
      vi.stubEnv('STRIPE_SECRET_KEY', 'secret');
      vi.stubEnv('NODE_OPTIONS', '--no-warnings');
      vi.stubEnv('LC_ALL', 'C.UTF-8');
      vi.stubEnv('EARSHOT_MODELS', '/models');
      const engine = evilEngine();
      const { result } = await engine.run(fixtureTool, [], { behaviour: 'environment' }, { outputDir: folder() });
      const environment = result['environment'] as Record<string, string>;
      expect(JSON.stringify(environment)).not.toContain('secret');
      expect(environment).toMatchObject({ LC_ALL: 'C.UTF-8', EARSHOT_MODELS: '/models', PATH: process.env['PATH'] });
      expect(environment).not.toHaveProperty('NODE_OPTIONS');
      if (process.platform !== 'linux') return console.log('Descriptors are listed by /proc: not looked at here');
      const open = (await engine.run(fixtureTool, [], { behaviour: 'descriptors' }, { outputDir: folder() })).result;
      const files = (open['open'] as string[]).filter((name) => name.startsWith('/') && !name.startsWith('/proc/'));
      expect(files.filter((name) => !['/dev/null', '/dev/urandom'].includes(name))).toEqual([]);
    },
  );

  it.each(Object.keys(garbage))('a message that is none ends that run and nothing else: %s', slow, async (text) => {
    const engine = evilEngine({ concurrency: 2 });
    const garbled = rejection(engine.run(fixtureTool, [], { behaviour: 'garbage', text }, { outputDir: folder() }));
    const beside = engine.run(fixtureTool, [], { behaviour: 'environment' }, { outputDir: folder() });
    expect(await garbled).toMatchObject({
      code: 'internal_error',
      message: expect.stringMatching(/^The job process of cut_audio sent a (line|message) /),
    });
    expect((await beside).outputs).toEqual([]);
  });

  it('no number of warnings fills the host’s memory', slow, async () => {
    let heard = 0;
    const { warnings } = await evilEngine().run(
      fixtureTool,
      [],
      { behaviour: 'warnings', bytes: 3000 },
      { outputDir: folder(), onWarning: () => (heard += 1) },
    );
    expect(warnings).toHaveLength(100);
    expect(heard).toBe(100);
  });

  it('a disk that it would fill stays free', slow, async () => {
    const outputDir = folder();
    const control = { outputDir, maxOutputBytes: 100 * 2 ** 20 };
    expect(await rejection(evilEngine().run(fixtureTool, [], { behaviour: 'disk' }, control))).toMatchObject({
      code: 'limit_exceeded',
      details: { limit: 'maxOutputBytes' },
    });
    expect(readdirSync(outputDir)).toEqual([]);
  });

  // Unread it is a hundred times as much; under load it is less.
  it.each(['channel', 'stderr', 'stdout'])(
    'a flood in good form is read at the pace of a job: %s',
    slow,
    async (text) => {
      let heard = 0;
      const outputDir = folder();
      const started = performance.now();
      const usedBefore = process.cpuUsage();
      const thrown = await rejection(
        evilEngine({ prefork: true }).run(
          fixtureTool,
          [],
          { behaviour: 'flood', text },
          { outputDir, maxSeconds: 2, onProgress: () => (heard += 1) },
        ),
      );
      expect(thrown).toMatchObject({ code: 'limit_exceeded', details: { limit: 'maxJobSeconds' } });
      const windows = Math.ceil((performance.now() - started) / 100);
      const { user, system } = process.cpuUsage(usedBefore);
      console.log(
        `flood of ${text}: ${heard} messages heard in ${windows / 10} s, ${Math.round((user + system) / 1000)} ms of ` +
          "the host's CPU",
      );
      // 512 lines, and those of the piece that was read last.
      expect(heard).toBeLessThanOrEqual(windows * (512 + 65_536 / 58) + 10);
    },
  );

  it('a model file is hashed for a process only if it is one', slow, async () => {
    const [modelsDir, cache] = [folder(), folder()];
    const strangers = join(folder(), 'secret.txt');
    for (const path of [strangers, join(modelsDir, 'own.onnx')]) {
      writeFileSync(path, 'x');
      // What changed within the last two seconds is not remembered: it may change again.
      utimesSync(path, 1_700_000_000, 1_700_000_000);
    }
    vi.stubEnv('XDG_CACHE_HOME', cache);
    await sleep(2100);
    const text = JSON.stringify([`${modelsDir}/..${strangers.slice(tmpdir().length)}`, join(modelsDir, 'own.onnx')]);
    await evilEngine({ modelsDir }).run(fixtureTool, [], { behaviour: 'unremembered', text }, { outputDir: folder() });
    const entries = join(cache, 'earshot', 'hashed-models');
    await until('the model is remembered', () => existsSync(entries) && readdirSync(entries).length > 0);
    await sleep(200);
    expect(readdirSync(entries).map((name) => JSON.parse(readFileSync(join(entries, name), 'utf8')).path)).toEqual([
      join(modelsDir, 'own.onnx'),
    ]);
  });

  // Bars refuse the link itself; without them the engine does.
  it.each([
    ['symbolic-output', 'off', /did not write it into its work folder|which is not a file/],
    ['hard-output', 'off', /which is a second name of another file/],
    ['symbolic-output', 'best', /./],
    ['hard-output', 'best', /./],
  ] as const)('an output that is a link is not published: %s, %s', async (behaviour, confinement, message) => {
    const outputDir = folder();
    const secret = join(folder(), 'secret.txt');
    writeFileSync(secret, 'a secret');
    const engine = evilEngine({ confinement, tempDir: outputDir });
    const thrown = await rejection(engine.run(fixtureTool, [], { behaviour, text: secret }, { outputDir }));
    expect(thrown).toMatchObject({ code: 'internal_error', message: expect.stringMatching(message) });
    expect(readdirSync(outputDir)).toEqual([]);
    expect(readFileSync(secret, 'utf8')).toBe('a secret');
  });

  it.each(['/etc/passwd', 'result.txt', '/proc/self/environ', '../../x'])(
    'an output that lies elsewhere is not published: %s',
    async (text) => {
      const outputDir = folder();
      const run = evilEngine().run(fixtureTool, [], { behaviour: 'strange-output', text }, { outputDir });
      expect(await rejection(run)).toMatchObject({
        code: 'internal_error',
        message: expect.stringMatching(/did not write it into its work folder$/),
      });
      expect(readdirSync(outputDir)).toEqual([]);
    },
  );
});
