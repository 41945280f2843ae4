// What remove_fillers takes out of a bare recording whose fillers and words are known, and what it leaves: clean and in
// noise.
//     node bench/speech/fillers.ts [--samples=FOLDER] [--seed=1]
// Fillers count as gone when a cut reaches from 40 ms behind their begin to 40 ms before their end. A word is whole
// when the output has it with a correlation over .95 (in noise as well: the noise is cut with it); a seam is sharp when
// from sample to sample more changes there than 1.5 times the most in the quarter second around.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openAudio } from '../../src/library/media/read/decode.ts';
import { openEncoder } from '../../src/library/media/write/encode.ts';
import { createFanOut } from '../../src/library/runtime/job/fan-out.ts';
import { removeFillers } from '../../src/library/tools/remove_fillers/tool.ts';
import { runTool } from '../../test/fixtures/media/run-context.ts';
import { seeded } from '../../test/fixtures/random.ts';
import { type CutPiece, likeness, movedBy, seamSharpness } from '../../test/fixtures/sounds/cut-measures.ts';
import { withNoise } from '../../test/fixtures/spoken-sounds.ts';
import { textGridWords } from '../../test/fixtures/text-grid.ts';
import { acousticFillers } from './known-fillers.ts';
import { probe } from '../../src/library/media/read/probe.ts';

const flag = (name: string): string | undefined =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
const folder = flag('samples') ?? fileURLToPath(new URL('../../../shared/samples/', import.meta.url));
const seed = Number(flag('seed') ?? 1);
const scratch = mkdtempSync(join(tmpdir(), 'earshot-fillers-'));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
const { signal } = new AbortController();
const fanOut = createFanOut(2, signal);

interface Sound {
  readonly samples: Float32Array;
  readonly rate: number;
}

function read(path: string): Sound {
  const source = openAudio(probe(path));
  const blocks: Float32Array[] = [];
  for (let block = source.next(); block; block = source.next()) blocks.push((block.planes[0] as Float32Array).slice());
  const rate = source.format.sampleRate;
  source.close();
  const samples = new Float32Array(blocks.reduce((sum, block) => sum + block.length, 0));
  let at = 0;
  for (const block of blocks) {
    samples.set(block, at);
    at += block.length;
  }
  return { samples, rate };
}

function write(name: string, { samples, rate }: Sound): string {
  const path = join(scratch, `${name}.wav`);
  const format = { sampleRate: rate, channels: 1, layout: 'mono' as const };
  const sink = openEncoder(path, format, { format: 'wav', bitDepth: '24' });
  sink.write({ ...format, planes: [samples], frames: samples.length });
  sink.finish();
  sink.close();
  return path;
}

async function bench(title: string, source: Sound, words: ReturnType<typeof textGridWords>): Promise<void> {
  const folderOfRun = join(scratch, `${title}-`);
  const done = await runTool(removeFillers, write(title, source), {}, folderOfRun, signal, undefined, fanOut);
  const cuts = done.result['cuts'] as unknown as readonly (CutPiece & { readonly text: string })[];
  const out = read(done.path).samples;
  const { rate } = source;
  const gone = acousticFillers.filter(({ startSeconds, endSeconds }) =>
    cuts.some((cut) => cut.startSeconds < startSeconds + 0.04 && cut.endSeconds > endSeconds - 0.04),
  );
  const alike = words.map(({ startSeconds, endSeconds }) => {
    const [from, to] = [Math.round(startSeconds * rate), Math.round(endSeconds * rate)];
    const middle = movedBy(cuts, (startSeconds + endSeconds) / 2) * rate;
    const reach = (to - from) / 2 + 0.02 * rate;
    return likeness(source.samples.slice(from, to), out, Math.round(middle - reach), Math.round(middle + reach));
  });
  const sharpest = Math.max(
    0,
    ...cuts.map(({ startSeconds }) => seamSharpness(out, rate, movedBy(cuts, startSeconds))),
  );
  console.log(
    `${title.padEnd(16)} ${gone.length} of ${acousticFillers.length} fillers gone, ` +
      `${cuts.length} cuts ` +
      `(${cuts.map((cut) => `"${cut.text}" ${cut.startSeconds.toFixed(2)}-${cut.endSeconds.toFixed(2)}`).join(', ')}); ` +
      `${alike.filter((one) => one > 0.95).length} of ${words.length} words whole; ` +
      `sharpest seam ${sharpest.toFixed(2)} of what is around it`,
  );
}

const recording = join(folder, 'fillers/acoustic_corpus.wav');
if (existsSync(recording)) {
  const words = textGridWords(join(folder, 'fillers/acoustic_corpus.TextGrid')).filter(({ text }) => text !== 'um');
  const clean = read(recording);
  await bench('clean', clean, words);
  for (const decibels of [20, 10])
    await bench(`noise ${decibels} dB`, { ...clean, samples: withNoise(clean.samples, decibels, seeded(seed)) }, words);
} else console.log(`No samples in ${folder}: name their folder with --samples=FOLDER`);
process.exit();
