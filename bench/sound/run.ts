// What sound as it arrives costs a channel, beside the file's way: CPU and memory of stages in one process, with one
// stream and with several, and of a run of the tool on a file of the same length. Linux, since it reads /proc.
// Usage: node bench/sound/run.ts [--seconds=60] [--streams=1,8]
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createEngine } from '../../src/index.ts';
import { limiter, meter, noiseRemoval, type SoundStage, type StageForm } from '../../src/sound.ts';
import { noise, voice } from '../../test/fixtures/media/signals.ts';

const rate = 48_000;
const blockFrames = 960;
const flag = (name: string): string | undefined =>
  process.argv.find((each) => each.startsWith(`--${name}=`))?.slice(name.length + 3);
const seconds = Number(flag('seconds') ?? 60);

const stages: Readonly<Record<string, (form: StageForm) => SoundStage | Promise<SoundStage>>> = {
  meter: (form) => meter(form),
  limiter: (form) => limiter(form, { gainDb: 6 }),
  'noiseRemoval, RNNoise': (form) => noiseRemoval(form, { engine: 'rnnoise' }),
  'noiseRemoval, DeepFilterNet3': (form) => noiseRemoval(form, { engine: 'deepfilternet3' }),
};

interface Cost {
  readonly cpuSeconds: number;
  readonly peakMb: number;
}

function noisy(): Float32Array {
  const hiss = noise(seconds * rate, 2, 0.03);
  return voice(seconds * rate, rate, 1, 0.3).map((sample, at) => sample + (hiss[at] as number));
}

/** CPU of this process and of those that it has waited for, seconds. */
function cpuSeconds(): number {
  const fields = (readFileSync('/proc/self/stat', 'utf8').split(') ')[1] ?? '').split(' ');
  // utime, stime, cutime and cstime, a hundred ticks a second.
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) / 100, 0);
}

const peakMbOf = (pid: number | 'self'): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

async function streamed(name: string, streams: number): Promise<Cost> {
  const sound = noisy();
  // Generated and loaded before anything is counted.
  const made = await Promise.all(
    Array.from({ length: streams }, async () => (stages[name] as (typeof stages)[string])({ sampleRate: rate })),
  );
  const before = cpuSeconds();
  await Promise.all(
    made.map(async ({ writable, readable }) => {
      const blocks = (function* () {
        for (let at = 0; at < sound.length; at += blockFrames) yield sound.subarray(at, at + blockFrames);
      })();
      const writing = ReadableStream.from(blocks).pipeTo(writable);
      for await (const _ of readable);
      await writing;
    }),
  );
  return { cpuSeconds: cpuSeconds() - before, peakMb: peakMbOf('self') };
}

async function ran(tool: 'remove_noise' | 'adjust_loudness' | 'analyze_audio'): Promise<Cost> {
  const input = { samples: noisy(), sampleRate: rate };
  const before = cpuSeconds();
  const engine = createEngine({ concurrency: 1, cores: 1, confinement: 'off' });
  let peakMb = 0;
  const look = setInterval(() => {
    for (const child of readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' '))
      if (child.trim() !== '') peakMb = Math.max(peakMb, peakMbOf(Number(child)));
  }, 50);
  await engine.stream(tool, input).then(({ outputs }) => outputs.forEach(({ stream }) => stream.destroy()));
  clearInterval(look);
  await engine.close();
  return { cpuSeconds: cpuSeconds() - before, peakMb };
}

const one = flag('case');
if (one !== undefined) {
  const tool = /^run (.*)$/.exec(one)?.[1];
  const cost = tool === undefined ? streamed(one, Number(flag('count'))) : ran(tool as 'remove_noise');
  console.log(JSON.stringify(await cost));
  process.exit();
}

/** Each in a process of its own. */
function measured(name: string, count: number): Cost {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [fileURLToPath(import.meta.url), `--case=${name}`, `--count=${count}`, `--seconds=${seconds}`],
    { encoding: 'utf8' },
  );
  if (stdout === '') throw new Error(`${name} failed: ${stderr}`);
  return JSON.parse(stdout) as Cost;
}

const counts = (flag('streams') ?? '1,8').split(',').map(Number);
console.log(`${seconds} s of noisy speech, 48 kHz, mono, in blocks of 20 ms\n`);
console.log('| work | streams | CPU, ms a second and stream | peak memory, MB |\n|---|---|---|---|');
const row = (name: string, count: number): void => {
  const { cpuSeconds: cpu, peakMb } = measured(name, count);
  console.log(`| ${name} | ${count} | ${((1000 * cpu) / seconds / count).toFixed(2)} | ${peakMb.toFixed(0)} |`);
};
for (const name of Object.keys(stages)) for (const count of counts) row(name, count);
for (const tool of ['analyze_audio', 'adjust_loudness', 'remove_noise']) row(`run ${tool}`, 1);
