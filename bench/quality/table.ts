// One table of what cleaning does to speech:
//     npm run bench -- --quality [--quick] [--write] [--opinion] [--only=rain] [--voices=jfk,austen]
// Every set by every way of cleaning: how near it is to the clean voice (SI-SDR, STOI), how many words of it our own
// recogniser gets wrong, and with --opinion DNSMOS. --quick takes two voices and fewer levels, --voices those whose
// names begin so; --write puts the tables into docs/figures.md.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { enhanceVoice } from '../../src/library/tools/enhance_voice/tool.ts';
import { removeNoise } from '../../src/library/tools/remove_noise/tool.ts';
import { speechRate } from '../../src/library/speech/speech-sound.ts';
import { readAll } from '../../test/fixtures/media/media.ts';
import { writeWav } from '../../test/fixtures/media/pcm-files.ts';
import { runTool } from '../../test/fixtures/media/run-context.ts';
import { flag } from '../compare.ts';
import { ours, samplesOf } from '../speech/readers.ts';
import { plainWords, wordErrors } from '../speech/word-error.ts';
import { deepFilterNetFolder, plain } from './engines.ts';
import { siSdr } from './measures.ts';
import { rate, sample } from './mixtures.ts';
import { openScorer } from './scorer.ts';
import { stoi } from './stoi.ts';
import { tableCases } from './table-cases.ts';
import { resampled } from './voice-cases.ts';

const quick = process.argv.includes('--quick');
const samples = fileURLToPath(new URL('../../../shared/samples/', import.meta.url));
const figures = fileURLToPath(new URL('../../docs/figures.md', import.meta.url));
const heading = '## Before and after cleaning';
/** In `--quick`: a man and a woman, the shortest with enough words. */
const quickVoices = ['jfk.wav', 'austen-0870.wav'];
/** All where neither says which. */
const voiceNames = flag('voices')?.split(',') ?? (quick ? quickVoices : ['']);
/** Peaks of what is cleaned, so that nothing clips in between. */
const peak = 0.5;

type Way = (sound: Float32Array, work: string) => Promise<Float32Array>;

async function waysOf(): Promise<Readonly<Record<string, Way>>> {
  const byTool =
    (tool: typeof removeNoise | typeof enhanceVoice): Way =>
    async (sound, work) => {
      const folder = mkdtempSync(join(work, 'tool-'));
      const input = writeWav(join(folder, 'in.wav'), [sound], rate, 'f32');
      const run = await runTool(tool as typeof removeNoise, input, { auto_volume: false }, join(folder, 'out-'));
      const [plane] = readAll(run.path).planes as [Float32Array];
      rmSync(folder, { recursive: true });
      return plane;
    };
  const network = await deepFilterNetFolder();
  const rnnoise = await plain('rnnoise', undefined);
  const deepFilterNet = network === null ? null : await plain('deepfilternet3', network);
  return {
    input: (sound) => Promise.resolve(sound),
    remove_noise: byTool(removeNoise),
    enhance_voice: byTool(enhanceVoice),
    ...(deepFilterNet ? { 'plain DeepFilterNet3': (sound) => deepFilterNet(sound, 0) } : {}),
    'plain RNNoise': (sound) => rnnoise(sound, 0),
  };
}

/** One sound of one case and voice, by one way. */
interface Result {
  readonly rows: readonly string[];
  readonly way: string;
  readonly siSdrDb: number;
  readonly stoi: number;
  readonly opinion: number;
  readonly reference: readonly string[];
  /** 16 kHz, for the recogniser. */
  readonly path: string;
}

interface Voice {
  readonly name: string;
  readonly plane: Float32Array;
  readonly words: readonly string[];
}

async function voicesOf(work: string): Promise<Voice[]> {
  const folder = join(work, 'voices');
  mkdirSync(folder);
  const found = await samplesOf([join(samples, 'speech'), join(samples, 'fillers')], folder);
  return found
    .filter(({ name }) => voiceNames.some((start) => basename(name).startsWith(start)))
    .map(({ name, text }) => {
      const plane = sample(relative(samples, name));
      const most = plane.reduce((top, x) => Math.max(top, Math.abs(x)), 0);
      return { name: basename(name), plane: plane.map((x) => (peak * x) / most), words: plainWords(text) };
    });
}

async function measureAll(work: string, ways: Readonly<Record<string, Way>>): Promise<Result[]> {
  const voices = await voicesOf(work);
  const score = process.argv.includes('--opinion') ? await openScorer() : null;
  const only = flag('only') ?? '';
  const results: Result[] = [];
  for (const { rows, of } of tableCases(quick).filter(({ rows: [row = ''] }) => row.includes(only)))
    for (const voice of voices) {
      const spoilt = of(voice.plane);
      for (const [way, clean] of Object.entries(ways)) {
        const cleaned = await clean(spoilt, work);
        const path = join(work, `${results.length}.f32`);
        writeFileSync(path, resampled(cleaned, rate, speechRate));
        const heard = score && writeWav(join(work, 'heard.wav'), [cleaned], rate, 'f32');
        results.push({
          rows,
          way,
          siSdrDb: siSdr(cleaned, voice.plane),
          stoi: stoi(cleaned, voice.plane, rate),
          opinion: heard && score ? (await score(heard)).overall : Number.NaN,
          reference: voice.words,
          path,
        });
      }
      console.error(`${rows[0]}: ${voice.name}`);
    }
  return results;
}

const mean = (values: readonly number[]): number => values.reduce((sum, x) => sum + x, 0) / values.length;

/** Markdown: a line for each row, a column for each way. */
function tableOf(
  title: string,
  ways: readonly string[],
  results: readonly Result[],
  cell: (own: readonly Result[]) => string,
): string {
  const rows = [...new Set(results.flatMap((one) => one.rows))];
  const line = (name: string, own: readonly Result[]): string =>
    `| ${name} | ${ways.map((way) => cell(own.filter((one) => one.way === way))).join(' | ')} |`;
  return [
    `| ${title} | ${ways.join(' | ')} |`,
    `|---|${ways.map(() => '---').join('|')}|`,
    ...rows.map((row) =>
      line(
        row,
        results.filter((one) => one.rows.includes(row)),
      ),
    ),
    line('all', results),
  ].join('\n');
}

function textOf(ways: readonly string[], results: readonly Result[]): string {
  const read = ours(2)(results.map(({ path }) => path));
  const wrong = new Map(results.map((one, at) => [one, wordErrors(one.reference, plainWords(read[at]?.text ?? ''))]));
  const wordError = (own: readonly Result[]): string => {
    const each = own.map((one) => wrong.get(one) ?? { errors: 0, words: 0 });
    return (
      each.reduce((sum, { errors }) => sum + errors, 0) / each.reduce((sum, { words }) => sum + words, 0)
    ).toFixed(3);
  };
  const tables = [
    tableOf('word error of our recogniser', ways, results, wordError),
    tableOf('SI-SDR, dB', ways, results, (own) => mean(own.map(({ siSdrDb }) => Math.min(99, siSdrDb))).toFixed(1)),
    tableOf('STOI', ways, results, (own) => mean(own.map((one) => one.stoi)).toFixed(3)),
    ...(results.some(({ opinion }) => Number.isFinite(opinion))
      ? [tableOf('DNSMOS, overall', ways, results, (own) => mean(own.map(({ opinion }) => opinion)).toFixed(2))]
      : []),
  ];
  return tables.join('\n\n');
}

/** Puts the tables under their heading, in place of what is there, before the heading behind it. */
function writeFigures(text: string): void {
  const page = readFileSync(figures, 'utf8');
  const start = page.indexOf(heading);
  if (start < 0) throw new Error(`Expected the heading "${heading}" in docs/figures.md`);
  const from = page.indexOf('\n| word error', start);
  const end = page.indexOf('\n## ', start + heading.length);
  writeFileSync(figures, `${page.slice(0, from < 0 || from > end ? end : from)}\n${text}\n${page.slice(end)}`);
}

const work = mkdtempSync(join(tmpdir(), 'earshot-table-'));
try {
  const ways = await waysOf();
  const text = textOf(Object.keys(ways), await measureAll(work, ways));
  console.log(text);
  if (process.argv.includes('--write')) writeFigures(text);
} finally {
  rmSync(work, { recursive: true, force: true });
}
process.exit();
