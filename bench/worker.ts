// One measured piece of work in a process of its own: prints its CPU and wall seconds and its peak memory as one JSON
// line.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noFinishedParts } from '../src/library/core/progress/finished-parts.ts';
import { openAudio } from '../src/library/media/read/decode.ts';
import type { FanOut } from '../src/library/core/machine/fan-out.ts';
import type { RunContext, RunModule } from '../src/library/tools/declare/run.ts';
import { peaks } from '../src/library/waveform/peaks.ts';
import { inputFile } from '../test/fixtures/media/input-files.ts';
import { probe } from '../src/library/media/read/probe.ts';

const [work = '', path = '', options = '{}'] = process.argv.slice(2);
/** A path for file_id, or the paths of several fields as the tool reads them. */
const inputs = (
  path.startsWith('{')
    ? JSON.parse(path, (_, value: unknown) => (typeof value === 'string' ? inputFile(value) : value))
    : { file_id: inputFile(path) }
) as RunContext['inputs'];
const noFanOut: FanOut = {
  lanes: () => 1,
  clearThreads: () => Promise.resolve(),
  map: () => Promise.reject(new Error('the measured tools use no fan-out')),
};

async function decodeOnly(
  consume: (planes: readonly Float32Array[], frames: number, rate: number) => void,
): Promise<void> {
  const source = openAudio(probe(path));
  for (let block = source.next(); block; block = source.next()) {
    consume(block.planes, block.frames, source.format.sampleRate);
    await new Promise((resolve) => setImmediate(resolve));
  }
  source.close();
}

async function runTool(id: string): Promise<void> {
  // As in a job process: the run module alone, with options that were parsed elsewhere.
  const { run } = (await import(`../src/library/tools/${id}/run.ts`)) as RunModule;
  const workDir = mkdtempSync(join(tmpdir(), 'earshot-bench-'));
  const context: RunContext = {
    inputs,
    options: JSON.parse(options) as Readonly<Record<string, unknown>>,
    workDir,
    signal: new AbortController().signal,
    parallelism: 1,
    modelsDir: undefined,
    progress: () => undefined,

    pass: () => () => undefined,
    partial: () => undefined,
    finished: noFinishedParts,
    warn: () => undefined,
    fanOut: noFanOut,
  };
  try {
    await run(context);
  } finally {
    rmSync(workDir, { recursive: true, force: true });
  }
}

/** What remove_noise costs at least: its network, on the channels as they are, and a file of what it leaves. */
async function plainNetwork(): Promise<void> {
  const { deepFilterNetFolder, plain } = await import('./quality/engines.ts');
  const { readAll } = await import('../test/fixtures/media/media.ts');
  const clean = await plain('deepfilternet3', (await deepFilterNetFolder()) ?? undefined);
  for (const plane of readAll(path).planes) await clean(plane, 0);
}

const started = performance.now();
if (work === 'decode') await decodeOnly(() => undefined);
else if (work === 'peaks') await peaks(path);
else if (work === 'plain-network') await plainNetwork();
else await runTool(work);
const { user, system } = process.cpuUsage();
console.log(
  JSON.stringify({
    cpuSeconds: (user + system) / 1e6,
    wallSeconds: (performance.now() - started) / 1e3,
    peakMb: process.resourceUsage().maxRSS / 1024,
  }),
);
