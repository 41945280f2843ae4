// adjust_loudness to two targets in three codecs: how near it comes, what its peaks do and how often it encodes; and
// the bandwidth that analyze_audio reads of voices whose highs were cut off at a known place.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { meterBandwidth } from '../../../src/library/dsp/spectrum/bandwidth.ts';
import { adjustLoudness } from '../../../src/library/tools/adjust_loudness/tool.ts';
import type { AdjustLoudnessResult } from '../../../src/library/tools/adjust_loudness/result.ts';
import { readAll } from '../../../test/fixtures/media/media.ts';
import { writeWav } from '../../../test/fixtures/media/pcm-files.ts';
import { runTool } from '../../../test/fixtures/media/run-context.ts';
import { pieces } from '../../../test/fixtures/sounds/music.ts';
import { temporaryFolder } from '../../../test/fixtures/temporary-folder.ts';
import { rate, sample } from '../../quality/mixtures.ts';
import { filtered } from '../../quality/voice-cases.ts';
import { figure, type Measure } from '../figures.ts';
import { folderFor } from '../store.ts';

const seconds = 5;
const ceilingDbtp = -1;
const voice = (): Float32Array => sample('noise/clean_speech_48k.wav').slice(0, seconds * rate);
const scaled = (plane: Float32Array, decibels: number): Float32Array => plane.map((x) => x * 10 ** (decibels / 20));
/** Nothing but noise of 16 bits is left above. */
const cutAt = (hz: number) => (): Float32Array =>
  filtered(voice(), (at) => (at <= hz ? 1 : at < 1.05 * hz ? (1.05 * hz - at) / (0.05 * hz) : 0));

/** Kept as 16 bits. */
function path(name: string, make: () => Float32Array): string {
  const file = join(folderFor('loudness'), `${name}.wav`);
  if (!existsSync(file)) writeWav(file, [make()], rate, 's16');
  return file;
}

const sounds = {
  speech: voice,
  music: () => (pieces['pop'] as (length: number) => Float32Array)(seconds),
} as const;

/** Cut-offs of a telephone, a wide-band call and an old codec, Hz. */
const cutOffsHz = [3400, 7000, 12_000];
const levelsDb = [0, -30];

function bandwidthOf(file: string): number {
  const { planes, format } = readAll(file, { rate, channels: 1 });
  const meter = meterBandwidth(seconds);
  meter.open(format);
  const plane = planes[0] as Float32Array<ArrayBuffer>;
  meter.process({ planes: [plane], frames: plane.length }, () => undefined);
  return meter.result() ?? 0;
}

export const measure: Measure = async () => {
  let [off, worst, peaks, runs] = [0, 0, Number.NEGATIVE_INFINITY, 0];
  for (const [name, make] of Object.entries(sounds))
    for (const output_format of ['wav', 'mp3', 'm4a'])
      for (const custom_lufs of [-23, -9]) {
        const options = { target: 'custom', custom_lufs, output_format };
        const prefix = `${temporaryFolder('earshot-constants-')}/`;
        const { result } = await runTool(adjustLoudness, path(name, make), options, prefix);
        const { output } = result as unknown as AdjustLoudnessResult;
        const miss = Math.abs((output.integratedLufs ?? -70) - custom_lufs);
        off += miss;
        worst = Math.max(worst, miss);
        peaks = Math.max(peaks, output.truePeakDbtp ?? -70);
        runs += 1;
      }
  let bandwidthOff = 0;
  for (const hz of cutOffsHz)
    for (const level of levelsDb) {
      const file = path(`cut-${hz}${level}`, () => scaled(cutAt(hz)(), level));
      bandwidthOff += Math.abs(bandwidthOf(file) - hz) / hz;
    }
  return [
    figure('loudness off, mean', off / runs, 'LU', 'lower', 3),
    figure('loudness off, worst', worst, 'LU', 'lower', 3),
    figure(`highest peak (limit ${ceilingDbtp})`, peaks, 'dBTP', 'lower', 2),
    figure('bandwidth off', (100 * bandwidthOff) / (cutOffsHz.length * levelsDb.length), '%', 'lower', 1),
  ];
};
