// How much of a few words is lost when they are cut out of running speech, beside the reading of the whole.
//     node bench/speech/fragments.ts [--samples=FOLDER] [--words=4,7,12,25]
// Each length is cut twice, the second time half a length later, with 0.15 s before the first word and after the last.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFanOut } from '../../src/library/runtime/job/fan-out.ts';
import { recognise } from '../../src/library/speech/recognise/recognise.ts';
import { openSpeech, speechRate } from '../../src/library/speech/speech-sound.ts';
import type { SpokenWord } from '../../src/library/speech/spoken-word.ts';
import { joined } from '../../test/fixtures/media/signals.ts';
import { flag } from '../compare.ts';
import { floats, samplesOf } from './readers.ts';
import { plainWords, wordErrors } from './word-error.ts';

const marginSeconds = 0.15;
/** Longer ones have a pause between recordings in them. */
const longestSeconds = 22;
const { signal } = new AbortController();
const fanOut = createFanOut(1, signal);

async function wordsIn(path: string): Promise<SpokenWord[]> {
  const sound = openSpeech(path);
  const options = { fanOut, signal, modelsDir: undefined, onProgress: () => undefined, verbatim: false };
  const { regions } = await recognise(sound, options);
  const said: SpokenWord[] = [];
  for await (const { words } of regions) said.push(...words);
  sound.close();
  return said;
}

const plain = (words: readonly SpokenWord[]): string[] => plainWords(words.map(({ text }) => text).join(' '));

async function bench(work: string): Promise<void> {
  const folder = flag('samples') ?? fileURLToPath(new URL('../../../shared/samples/', import.meta.url));
  if (!existsSync(folder)) throw new Error(`Expected recordings with texts in ${folder}: name a folder with --samples`);
  const folders = [folder, join(folder, 'speech'), join(folder, 'fillers')].filter((one) => existsSync(one));
  const pause = new Float32Array(0.7 * speechRate);
  const row = joined(...(await samplesOf(folders, work)).flatMap(({ path }) => [floats(path), pause]));
  const [whole, part] = [join(work, 'whole.f32'), join(work, 'part.f32')];
  writeFileSync(whole, row);
  const words = await wordsIn(whole);
  for (const length of (flag('words') ?? '4,7,12,25').split(',').map(Number)) {
    let [errors, count] = [0, 0];
    for (const start of [0, Math.floor(length / 2)])
      for (let at = start; at + length <= words.length; at += length) {
        const said = words.slice(at, at + length);
        const from = Math.max(0, (said[0] as SpokenWord).startSeconds - marginSeconds);
        const to = (said.at(-1) as SpokenWord).endSeconds + marginSeconds;
        if (to - from > longestSeconds) continue;
        writeFileSync(part, row.slice(Math.round(from * speechRate), Math.round(to * speechRate)));
        const found = wordErrors(plain(said), plain(await wordsIn(part)));
        errors += found.errors;
        count += found.words;
      }
    console.log(`${length} words: ${errors} of ${count} differ`);
  }
}

const work = mkdtempSync(join(tmpdir(), 'earshot-bench-'));
try {
  await bench(work);
} finally {
  rmSync(work, { recursive: true, force: true });
}
process.exit();
