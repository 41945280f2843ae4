// Is enhance_voice ever worse than remove_noise? Both tools on the same recordings, judged without a reference by
// DNSMOS (Reddy, Gopal, Cutler, "DNSMOS P.835", ICASSP 2022): opinions of the signal, the background and both, 1 to 5.
//   node bench/quality/opinion.ts [--only=room] [--set=voices|held] [--room-seed=11] [--write=folder]
// The scorer's network comes with the Python package speechmos, which is installed under bench/.media. Two renderings
// of one sound differ by up to .05: single rows say little, means of twenty do.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { enhanceVoice } from '../../src/library/tools/enhance_voice/tool.ts';
import { removeNoise } from '../../src/library/tools/remove_noise/tool.ts';
import { openAudio } from '../../src/library/media/read/decode.ts';
import { runTool } from '../../test/fixtures/media/run-context.ts';
import { writeWav } from '../../test/fixtures/media/pcm-files.ts';
import { pythonWith } from '../speech/python.ts';
import { opinionCases } from './opinion-cases.ts';
import { probe } from '../../src/library/media/read/probe.ts';

const rate = 16_000;
/** The network's own length: 9.01 s. */
const heard = 144_160;
/** Windows of a file that are judged. */
const most = 2;

const given = (name: string): string | undefined =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);

interface Opinion {
  readonly overall: number;
  readonly signal: number;
  readonly background: number;
}

const polynomial = (x: number, [a, b, c]: readonly [number, number, number]): number => a * x * x + b * x + c;

async function openScorer(): Promise<((path: string) => Promise<Opinion>) | null> {
  const python = pythonWith('opinion', ['speechmos==0.0.1.1']);
  if (python === null) return null;
  const lib = join(dirname(dirname(python)), 'lib');
  const packages = join(lib, readdirSync(lib)[0] ?? '', 'site-packages');
  const { InferenceSession: Session, Tensor: Input } = createRequire(import.meta.url)(
    'onnxruntime-node',
  ) as typeof import('onnxruntime-node');
  const network: InferenceSession = await Session.create(join(packages, 'speechmos/dnsmos_models/sig_bak_ovr.onnx'), {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
  });
  return async (path) => {
    const source = openAudio(probe(path), { rate, channels: 1 });
    const parts: number[] = [];
    for (let block = source.next(); block; block = source.next())
      parts.push(...(block.planes[0] as Float32Array).subarray(0, block.frames));
    source.close();
    let samples = parts;
    while (samples.length < heard) samples = [...samples, ...samples];
    const windows = Math.floor(samples.length / rate - 9.01) + 1;
    const count = Math.min(windows, most);
    const sums = { overall: 0, signal: 0, background: 0 };
    for (let n = 0; n < count; n += 1) {
      const from = count === 1 ? 0 : Math.floor(((windows - 1) * n) / (count - 1)) * rate;
      const input = new Input('float32', Float32Array.from(samples.slice(from, from + heard)), [1, heard]);
      const { data } = Object.values(await network.run({ input_1: input }))[0] as Tensor;
      const [signal = 0, background = 0, overall = 0] = data as Float32Array;
      sums.signal += polynomial(signal, [-0.083_972_78, 1.220_839_53, 0.005_243_9]) / count;
      sums.background += polynomial(background, [-0.131_668_88, 1.609_155_14, -0.396_045_46]) / count;
      sums.overall += polynomial(overall, [-0.067_662_83, 1.115_464_68, 0.046_025_35]) / count;
    }
    return sums;
  };
}

const shown = (x: number): string => x.toFixed(2).padStart(5);
const signed = (x: number): string => `${x < 0 ? '-' : '+'}${Math.abs(x).toFixed(3)}`;

interface Row {
  readonly set: string;
  readonly noise: Opinion;
  readonly voice: Opinion;
}

function summary(rows: readonly Row[]): void {
  const mean = (values: readonly number[]): number => values.reduce((sum, x) => sum + x, 0) / values.length;
  for (const set of [...new Set(rows.map((row) => row.set)), 'all']) {
    const own = rows.filter((row) => set === 'all' || row.set === set);
    const gains = own.map(({ noise, voice }) => voice.overall - noise.overall);
    console.log(
      `${set.padEnd(12)} ${String(own.length).padStart(3)} files: remove_noise ` +
        `${shown(mean(own.map(({ noise }) => noise.overall)))}, enhance_voice ${signed(mean(gains))} (worst ` +
        `${signed(Math.min(...gains))}), worse by over .02: ${gains.filter((x) => x < -0.02).length}, by over .05: ` +
        `${gains.filter((x) => x < -0.05).length}, better by over .02: ${gains.filter((x) => x > 0.02).length}`,
    );
  }
}

const score = await openScorer();
if (score === null) console.log('Without the scorer there is nothing to measure');
else {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-opinion-'));
  const keep = given('write');
  if (keep !== undefined && !existsSync(keep)) mkdirSync(keep, { recursive: true });
  try {
    const rows: Row[] = [];
    console.log('OVRL SIG BAK of the recording, of remove_noise, of enhance_voice');
    for (const { set, title, plane, sampleRate, bits } of opinionCases(
      given('set'),
      given('only'),
      Number(given('room-seed') ?? 7),
    )) {
      const name = `${set}-${title}`.replaceAll(/[^\w.-]+/g, '_');
      const path = writeWav(join(keep ?? folder, `${name}.wav`), [plane], sampleRate, bits);
      const [clean, enhanced] = [
        await runTool(removeNoise, path, {}, join(keep ?? folder, `${name}-rn-`)),
        await runTool(enhanceVoice, path, {}, join(keep ?? folder, `${name}-ev-`)),
      ];
      const opinions = [await score(path), await score(clean.path), await score(enhanced.path)] as const;
      const [, noise, voice] = opinions;
      rows.push({ set, noise, voice });
      const all = opinions.map((one) => [one.overall, one.signal, one.background].map(shown).join(' ')).join(' | ');
      console.log(
        `${set.padEnd(9)} ${title.padEnd(34)} ${all}  ` +
          `${signed(voice.overall - noise.overall)}  ` +
          `${JSON.stringify({ ...(enhanced.result['found'] as object), ...(enhanced.result['repaired'] as object) })} ` +
          enhanced.warnings.map(({ code }) => code).join(),
      );
    }
    summary(rows);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
