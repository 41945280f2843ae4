// What both noise suppressors do to speech with noise made by script, beside ffmpeg's afftdn: one table a measure.
// node bench/quality/run.ts [--only=pink] [--write=folder]   --write: every mixture and result as a file, for listening
//   node bench/quality/run.ts --levels | --passages   does level matter; are quiet voices and music kept, and only they
//   node bench/quality/run.ts --speed [--seconds=600] [--times=3]   the whole tool on one core and on all
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openEncoder } from '../../src/library/media/write/encode.ts';
import { noisyCases, roomSeeds } from './cases.ts';
import { type Cleaner, cleaners } from './engines.ts';
import { logSpectralDistance, siSdr } from './measures.ts';
import { rate, seeds } from './mixtures.ts';
import { benchSpeed } from './speed.ts';
import { lostVoice } from './lost-voice.ts';
import { benchLevels, benchPassages } from './passages.ts';
import { speechDistortion } from './speech-distortion.ts';
import { stoi } from './stoi.ts';

const given = (name: string): string | undefined =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);

interface Measure {
  readonly title: string;
  readonly digits: number;
  /** The worst of several: the least where higher is better. */
  worst(...values: readonly number[]): number;
  of(estimate: Float32Array, mixture: Float32Array, wanted: Float32Array): number;
}

const measures: readonly Measure[] = [
  {
    title: 'SI-SDR, dB: higher is better',
    digits: 2,
    worst: Math.min,
    of: (estimate, _, wanted) => siSdr(estimate, wanted),
  },
  {
    title: 'STOI, at most 1: higher is better',
    digits: 3,
    worst: Math.min,
    of: (estimate, _, wanted) => stoi(estimate, wanted, rate),
  },
  {
    title: 'Log-spectral distance, dB: lower is better',
    digits: 1,
    worst: Math.max,
    of: (estimate, _, wanted) => logSpectralDistance(estimate, wanted),
  },
  {
    title: 'Speech to speech-distortion ratio, dB, at most 30: higher is better; noise that is left does not count',
    digits: 1,
    worst: Math.min,
    of: speechDistortion,
  },
  {
    title: 'Level of the voice in frames of speech against the reference, dB: 0 is all of it; noise does not count',
    digits: 1,
    worst: Math.min,
    of: (estimate, _, wanted) => lostVoice(estimate, wanted).levelDb,
  },
  {
    title: 'Share of the frames of speech that lost more than 10 dB: lower is better',
    digits: 3,
    worst: Math.max,
    of: (estimate, _, wanted) => lostVoice(estimate, wanted).goneShare,
  },
];

function writeSound(path: string, plane: Float32Array): void {
  const sink = openEncoder(path, { sampleRate: rate, channels: 1, layout: 'mono' }, { format: 'wav', bitDepth: '32f' });
  for (let at = 0; at < plane.length; at += rate) {
    const part = plane.slice(at, at + rate);
    sink.write({ planes: [part], frames: part.length });
  }
  sink.finish();
  sink.close();
}

interface Row {
  readonly title: string;
  readonly snrDb: number | null;
  readonly inRoom: boolean;
  /** For each measure: of the mixture, then of each cleaner's result. */
  readonly values: readonly (readonly number[])[];
}

async function measureRows(
  engines: readonly (readonly [string, Cleaner])[],
  folder: string | undefined,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { title, snrDb, inRoom, mixture, wanted } of noisyCases(given('only'))) {
    const noiseDbfs =
      10 *
      Math.log10(mixture.reduce((sum, x, i) => sum + (x - (wanted[i] as number)) ** 2, 0) / mixture.length + 1e-12);
    const sounds: [string, Float32Array][] = [['in', mixture]];
    for (const [name, clean] of engines) sounds.push([name, await clean(mixture, noiseDbfs)]);
    if (folder) for (const [name, sound] of sounds) writeSound(join(folder, `${title} - ${name}.wav`), sound);
    rows.push({
      title,
      snrDb,
      inRoom,
      values: measures.map((measure) => sounds.map(([, sound]) => measure.of(sound, mixture, wanted))),
    });
  }
  return rows;
}

const mean = (values: readonly number[]): number => values.reduce((sum, x) => sum + x, 0) / values.length;

function print(names: readonly string[], rows: readonly Row[]): void {
  for (const [index, { title, digits, worst }] of measures.entries()) {
    const line = (name: string, values: readonly number[]): void =>
      console.log(`| ${name} | ${values.map((x) => x.toFixed(digits)).join(' | ')} |`);
    console.log(`\n${title}\n| mixture | in | ${names.join(' | ')} |\n|---|---|${names.map(() => '---').join('|')}|`);
    for (const row of rows) line(row.title, row.values[index] ?? []);
    /** Against the mixture, of the rows between two ratios. */
    const changes = (fromDb: number, belowDb: number, which: (row: Row) => boolean): number[][] =>
      rows
        .filter((row) => row.snrDb !== null && row.snrDb >= fromDb && row.snrDb < belowDb && which(row))
        .map(({ values }) => (values[index] ?? []).map((x) => x - (values[index]?.[0] ?? 0)));
    const summed = (name: string, over: number[][], sum: (values: readonly number[]) => number): void => {
      if (over.length > 0) line(name, [0, ...names.map((_, column) => sum(over.map((row) => row[column + 1] ?? 0)))]);
    };
    summed(
      'mean change, 0 to 10 dB, no room',
      changes(0, 10.5, ({ inRoom }) => !inRoom),
      mean,
    );
    summed(
      'mean change, 0 to 10 dB, in rooms',
      changes(0, 10.5, ({ inRoom }) => inRoom),
      mean,
    );
    summed(
      'worst change under 15 dB, no room',
      changes(Number.NEGATIVE_INFINITY, 15, ({ inRoom }) => !inRoom),
      (values) => worst(...values),
    );
    summed(
      'worst change under 15 dB, in rooms',
      changes(Number.NEGATIVE_INFINITY, 15, ({ inRoom }) => inRoom),
      (values) => worst(...values),
    );
  }
}

async function benchQuality(): Promise<void> {
  const folder = given('write');
  if (folder) mkdirSync(folder, { recursive: true });
  const engines = Object.entries(await cleaners());
  const named = (numbers: Readonly<Record<string, number>>): string =>
    Object.entries(numbers)
      .map(([name, seed]) => `${name} ${seed}`)
      .join(', ');
  console.log(`Seeds: ${named(seeds)}; rooms by T60 in seconds: ${named(roomSeeds)}`);
  print(
    engines.map(([name]) => name),
    await measureRows(engines, folder),
  );
}

if (process.argv.includes('--levels')) await benchLevels();
else if (process.argv.includes('--passages')) await benchPassages();
else if (process.argv.includes('--speed'))
  await benchSpeed({ seconds: Number(given('seconds') ?? 600), times: Number(given('times') ?? 3) });
else await benchQuality();
