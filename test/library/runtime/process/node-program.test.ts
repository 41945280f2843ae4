// Job processes run on a Node, whatever their host runs on. Scripts stand in for Electron, compiled apps and others.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import {
  besideProgram,
  type Greeting,
  greetingMilliseconds,
  type HostProcess,
  nodeProgram,
  type NodeProgram,
  notANode,
  refuseInJob,
} from '../../../../src/library/runtime/process/node-program.ts';
import type { ProcessRequest } from '../../../../src/library/runtime/channel/protocol.ts';
import { runJob } from '../../../../src/library/runtime/engine/run-job.ts';
import type { JobProcess } from '../../../../src/library/runtime/process/spawn.ts';
import type { ProcessEnd } from '../../../../src/library/runtime/process/start-process.ts';
import { fixtureTool } from '../../../fixtures/tools/source.ts';
import { rejection, useEngines } from '../support.ts';
import { slow } from '../../../fixtures/rounds.ts';

const { folder, engine } = useEngines();

function script(path: string, text: string): string {
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

const node: HostProcess = { execPath: process.execPath, versions: { node: '24.0.0' }, isCompiled: false };
const bun: HostProcess = { execPath: '/opt/bun', versions: { node: '24.3.0', bun: '1.4.5' }, isCompiled: false };

describe('the program for job processes', () => {
  it('is the Node of this process, and what is named before it', () => {
    const other = script(join(folder(), 'other node'), 'exit 0');
    expect(nodeProgram(undefined, {}, node)).toEqual({ path: process.execPath, environment: {}, namedBy: null });
    expect(nodeProgram(undefined, { EARSHOT_NODE: '' }, node).path).toBe(process.execPath);
    expect(nodeProgram(undefined, { EARSHOT_NODE: other }, node)).toEqual({
      path: other,
      environment: {},
      namedBy: 'EARSHOT_NODE',
    });
    expect(nodeProgram(process.execPath, { EARSHOT_NODE: other }, bun)).toEqual({
      path: process.execPath,
      environment: {},
      namedBy: 'nodePath',
    });
  });

  it('is Electron as a Node', () => {
    const host = { ...node, versions: { node: '24.0.0', electron: '40.1.0' } };
    expect(nodeProgram(undefined, {}, host)).toEqual({
      path: process.execPath,
      environment: { ELECTRON_RUN_AS_NODE: '1' },
      namedBy: 'Electron 40.1.0',
    });
    // The app may name itself; a Node beside it needs to be told nothing.
    expect(nodeProgram(process.execPath, {}, host).environment).toEqual({ ELECTRON_RUN_AS_NODE: '1' });
    expect(nodeProgram(script(join(folder(), 'node'), 'exit 0'), {}, host).environment).toEqual({});
    // Its libraries and its snapshot lie beside it; a Node has none.
    expect(besideProgram(nodeProgram(undefined, {}, host))).toEqual([dirname(process.execPath)]);
    expect(besideProgram(nodeProgram(undefined, {}, node))).toEqual([]);
  });

  it.each([
    ['Bun', bun],
    ['Deno', { ...node, versions: { node: '24.2.0', deno: '2.9.6' } }],
    ['one executable', { ...node, isCompiled: true }],
    ['NW.js', { ...node, versions: { node: '24.2.0', nw: '0.110.0' } }],
  ])('in %s is the first node of PATH that is one and new enough', (kind, host) => {
    const root = folder();
    const said = (versions: object): string =>
      `echo '${JSON.stringify({ path: '/some/node', versions: { ...versions } })}'`;
    const folders = ['bun', 'old', 'broken', 'text', 'none', 'real', 'later'].map((name) => join(root, name));
    for (const each of folders) mkdirSync(each);
    script(join(root, 'bun/node'), said({ node: '24.0.0', bun: '1.4.5' }));
    script(join(root, 'old/node'), said({ node: '20.19.4' }));
    script(join(root, 'broken/node'), 'exit 7');
    writeFileSync(join(root, 'text/node'), 'no program');
    symlinkSync(process.execPath, join(root, 'real/node'));
    script(join(root, 'later/node'), said({ node: '26.0.0' }));
    const PATH = folders.join(delimiter);
    // What it is called itself: scripts and links may not be readable behind a fence.
    expect(nodeProgram(undefined, { PATH }, host)).toEqual({
      path: process.execPath,
      environment: {},
      namedBy: 'node of PATH',
    });
    const without = folders.slice(0, 5).join(delimiter);
    expect(() => nodeProgram(undefined, { PATH: without }, host)).toThrow(
      expect.objectContaining({
        code: 'tool_unavailable',
        message: expect.stringMatching(
          new RegExp(`22\\.12 or newer.*${kind}.*Bun 1\\.4\\.5, Node 20\\.19\\.4, a node that does not run`),
        ),
        nextAction: expect.stringContaining('EARSHOT_NODE'),
      }),
    );
    expect(() => nodeProgram(undefined, { PATH: join(root, 'none') }, host)).toThrow(/PATH has no node/);
    expect(() => nodeProgram(undefined, {}, host)).toThrow(/PATH has no node/);
  });

  it.each(['/nowhere/node', '.', 'package.json'])('is never %s', (path) => {
    expect(() => engine({ nodePath: path })).toThrow(
      expect.objectContaining({ code: 'bad_request', message: expect.stringContaining('nodePath') }),
    );
    expect(() => nodeProgram(undefined, { EARSHOT_NODE: path }, node)).toThrow(/22\.12 or newer for EARSHOT_NODE/);
  });
});

const named: NodeProgram = { path: '/opt/app', environment: {}, namedBy: 'nodePath' };
const greeting = (runtime: string, version: string): Greeting => ({ type: 'ready', runtime, version });

describe('what is no Node', () => {
  it('shows by its greeting, its end, or its silence', () => {
    const end: ProcessEnd = { exitCode: 1, signal: null };
    expect(notANode(named, null, null, '')).toBe(null);
    expect(notANode(named, greeting('node', '22.12.0'), end, '')).toBe(null);
    expect(notANode(named, greeting('node', '22.11.9'), null, '')?.message).toContain('app (nodePath) is node 22.11.9');
    expect(notANode(named, greeting('bun', '1.4.5'), null, '')?.message).toContain('is bun 1.4.5');
    expect(notANode(named, null, end, 'x\nError: no such window\nat y')?.message).toMatch(
      /ends with exit code 1 before it answers as Node: "Error: no such window"/,
    );
    expect(notANode(named, null, { exitCode: null, signal: 'SIGABRT' }, '')?.message).toContain('SIGABRT');
    expect(notANode(named, null, 'silent', '')?.message).toContain('within 30 s');
    const electron = { ...named, namedBy: 'Electron 40.0.0' };
    expect(notANode(electron, null, end, '')?.message).toContain('RunAsNode');
    // What looks like a Node is one, and crashed, unless it ends in good order without a greeting.
    const own = { ...named, namedBy: null };
    expect(notANode(own, null, end, '')?.message).toContain('the program of this process');
    for (const how of [{ exitCode: null, signal: 'SIGSEGV' }, 'silent', null] as const)
      expect(notANode(own, null, how, '')).toBe(null);
    expect(notANode(own, greeting('node', '24.0.0'), end, '')).toBe(null);
  });

  it.each([
    ['says nothing and ends', 'exit 0', /ends with exit code 0/],
    ['complains', 'echo "Error: no display" >&2; exit 1', /exit code 1 .*no display/],
    [
      'is too old',
      `echo '{"type":"ready","runtime":"node","version":"18.20.0"}' >&3; exec sleep 600`,
      /node 18\.20\.0/,
    ],
    ['is Bun', `echo '{"type":"ready","runtime":"bun","version":"1.4.5"}' >&3; exec sleep 600`, /bun 1\.4\.5/],
  ])('fails the run: it %s', async (_, text, message) => {
    const program = script(join(folder(), 'app'), text);
    for (const prefork of [false, true]) {
      const failed = await rejection(
        engine({ nodePath: program, confinement: 'off', prefork }).run(fixtureTool, [], { behaviour: 'write' }),
      );
      expect(failed).toMatchObject({ code: 'tool_unavailable', message: expect.stringMatching(message) });
    }
  });

  it('fails the run when it waits without a word', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      let isKilled = false;
      let end: (how: ProcessEnd) => void = () => undefined;
      const job: JobProcess = {
        pid: undefined,
        ended: false,
        stderrTail: () => '',
        reportedBytes: () => null,
        send: () => undefined,
        listen: () => undefined,
        misfit: (how) => notANode(named, null, how, ''),
        ranOutOfMemory: () => false,
        kill() {
          isKilled = true;
          end({ exitCode: null, signal: 'SIGKILL' });
        },
        exit: new Promise((resolve) => (end = resolve)),
        setHeld: () => undefined,
      };
      const limits = { maxJobMemoryBytes: 2 ** 30, maxJobSeconds: 3600, maxOutputBytes: Infinity };
      const nobody = {
        onFraction() {},
        onPass() {},
        onWarning() {},
        onFinishedPart() {},
        onPartial() {},
        onUnremembered() {},
      };
      const request = { toolId: 'cut_audio', workDir: folder() } as ProcessRequest;
      const failed = rejection(runJob(job, request, limits, new AbortController().signal, nobody));
      await vi.advanceTimersByTimeAsync(greetingMilliseconds - 1);
      expect(isKilled).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      expect(await failed).toMatchObject({ code: 'tool_unavailable', message: expect.stringContaining('within 30 s') });
      expect(isKilled).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });
});

it('runs work on what is named, warmed up or not', slow, async () => {
  const place = folder();
  const log = join(place, 'log');
  const program = script(
    join(place, 'a node'),
    `echo "$EARSHOT_JOB_PROCESS $*" >> '${log}'\nexec '${process.execPath}' "$@"`,
  );
  for (const prefork of [false, true]) {
    const { result } = await engine({ nodePath: program, confinement: 'off', prefork }).run(fixtureTool, [], {
      behaviour: 'write',
    });
    expect(result).toMatchObject({ inputs: 0 });
  }
  const starts = readFileSync(log, 'utf8').trim().split('\n');
  expect(starts.length).toBeGreaterThan(1);
  for (const line of starts) expect(line).toMatch(/^1 .*job-process/);
});

it('a job process has no engine', () => {
  expect(() => refuseInJob({})).not.toThrow();
  expect(() => refuseInJob({ EARSHOT_JOB_PROCESS: '1' })).toThrow(/runs this app again/);
});

describe('an app', () => {
  const source = (path: string): string => JSON.stringify(new URL(`../../../../${path}`, import.meta.url).href);
  /** What is compiled into it: it makes an engine and runs something, wherever it is started. */
  const app = (execPath: string, versions: object): string => `
    Object.defineProperty(process, 'execPath', { value: ${JSON.stringify(execPath)} });
    Object.defineProperty(process, 'versions', { value: { ...process.versions, ...${JSON.stringify(versions)} } });
    const { createEngineWith } = await import(${source('src/library/runtime/engine/engine.ts')});
    const { fixtureTools } = await import(${source('test/fixtures/tools/source.ts')});
    const engine = createEngineWith(fixtureTools, { confinement: 'off' });
    try {
      const { result } = await engine.run('cut_audio', [], { behaviour: 'write' });
      console.log(JSON.stringify({ result }));
    } catch ({ code, message, nextAction }) {
      console.log(JSON.stringify({ code, message, nextAction }));
    }
    await engine.close();
  `;

  /** @param asNode what the executable does when it is to be a Node */
  function start(
    versions: object,
    asNode: string,
    environment: Readonly<Record<string, string>> = {},
  ): { readonly said: Record<string, unknown>; readonly starts: number } {
    const place = folder();
    const log = join(place, 'starts');
    const program = join(place, 'my app');
    const code = join(place, 'app.mjs');
    writeFileSync(code, app(program, versions));
    script(program, `echo start >> '${log}'\n${asNode}\nexec '${process.execPath}' '${code}'`);
    const { stdout, stderr } = spawnSync(program, [], { encoding: 'utf8', env: { ...process.env, ...environment } });
    if (stdout === '') throw new Error(stderr);
    const starts = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').length : 0;
    return { said: JSON.parse(stdout.trim()) as Record<string, unknown>, starts };
  }

  it('of Electron runs its jobs in itself as a Node', slow, () => {
    const { said, starts } = start(
      { electron: '40.1.0' },
      `[ "$ELECTRON_RUN_AS_NODE" = 1 ] && exec '${process.execPath}' "$@"`,
      // Filling the cache takes another.
      { NODE_DISABLE_COMPILE_CACHE: '1' },
    );
    expect(said).toMatchObject({ result: { inputs: 0 } });
    expect(starts).toBe(2);
  });

  it.each([
    ['of Electron that is no Node for anybody', { electron: '40.1.0' }, 'RunAsNode'],
    ['that looks like a Node', {}, 'the program of this process'],
  ])('%s is started once more and not again', slow, (_, versions, why) => {
    const { said, starts } = start(versions, '');
    expect(said).toMatchObject({
      code: 'tool_unavailable',
      message: expect.stringContaining(why),
      nextAction: expect.stringContaining('EARSHOT_NODE'),
    });
    expect(starts).toBe(2);
  });
});
