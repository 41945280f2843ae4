// How many rare names are written where they are said, without and with a vocabulary, and how many where they are not.
//     node bench/speech/vocabulary.ts [--recording=FILE]
// Said by Flite's robot voices (`flite`, of most Linux distributions). With --recording also: which names are written
// down in a recording in which none of them is said, and what that costs.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFanOut } from '../../src/library/runtime/job/fan-out.ts';
import { recognise } from '../../src/library/speech/recognise/recognise.ts';
import { extractSpeech, type SpeechSound } from '../../src/library/speech/speech-sound.ts';
import { chosenLater, chosenOn, neverSaid, type RareName, sentenceOf, soundAlike, unseen } from './vocabulary-cases.ts';
import { probe } from '../../src/library/media/read/probe.ts';

const scratch = mkdtempSync(join(tmpdir(), 'earshot-vocabulary-'));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
const { signal } = new AbortController();
const fanOut = createFanOut(2, signal);
const voices = ['slt', 'rms', 'awb'];

const soundOf = (path: string, folder: string): Promise<SpeechSound> => {
  mkdirSync(folder, { recursive: true });
  return extractSpeech(probe(path), folder, { signal, onProgress: () => undefined });
};

async function textOf(sound: SpeechSound, vocabulary: readonly string[]): Promise<string> {
  const options = { fanOut, signal, modelsDir: undefined, onProgress: () => undefined, verbatim: false };
  const { regions } = await recognise(sound, { ...options, language: 'en', vocabulary });
  const said: string[] = [];
  for await (const { words } of regions) said.push(...words.map(({ text }) => text));
  return said.join(' ');
}

const isWritten = (name: string, text: string): boolean => new RegExp(`(?<!\\p{L})${name}(?!\\p{L})`, 'iu').test(text);

const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

async function listOf(title: string, names: readonly RareName[]): Promise<void> {
  const sounds: SpeechSound[] = [];
  for (const [index, { respelled }] of names.entries()) {
    const path = join(scratch, `${title}-${index}.wav`);
    const voice = voices[index % voices.length] as string;
    const { status } = spawnSync('flite', ['-voice', voice, '-t', sentenceOf(index, respelled), '-o', path]);
    if (status !== 0) return console.log(`${title}: no flite here, so nothing is said`);
    sounds.push(await soundOf(path, join(scratch, `${title}-${index}`)));
  }
  const all = [...names.map(({ written }) => written), ...neverSaid];
  for (const [how, vocabulary] of [
    ['no vocabulary', []],
    [`${all.length} names given`, all],
  ] as const) {
    const before = cpuSeconds();
    let [found, invented] = [0, 0];
    const missed: string[] = [];
    for (const [index, { written }] of names.entries()) {
      const text = await textOf(sounds[index] as SpeechSound, vocabulary);
      if (isWritten(written, text)) found += 1;
      else missed.push(written);
      invented += all.filter((name) => name !== written && isWritten(name, text)).length;
    }
    const cost = (cpuSeconds() - before).toFixed(1);
    console.log(
      `${title.padEnd(12)} ${how.padEnd(16)} ${found} of ${names.length} names, ${invented} in the place of others, ` +
        `${cost} s of CPU${vocabulary.length === 0 ? '' : `; missed: ${missed.join(', ')}`}`,
    );
  }
}

const everyName = [...chosenOn, ...chosenLater, ...unseen].map(({ written }) => written).concat(neverSaid);

/** Which names are written where words that sound like them are said. */
async function unlike(): Promise<void> {
  const written: string[] = [];
  for (const voice of voices)
    for (const [index, sentence] of soundAlike.entries()) {
      const path = join(scratch, `alike-${voice}-${index}.wav`);
      if (spawnSync('flite', ['-voice', voice, '-t', sentence, '-o', path]).status !== 0)
        return console.log('sound alike: no flite here, so nothing is said');
      const text = await textOf(await soundOf(path, join(scratch, `alike-${voice}-${index}`)), everyName);
      written.push(...everyName.filter((name) => isWritten(name, text)).map((name) => `${name} (${text})`));
    }
  const sentences = voices.length * soundAlike.length;
  console.log(
    `${sentences} sentences with words that sound like names: ${written.length} written ${written.join(', ')}`,
  );
}

async function without(recording: string): Promise<void> {
  const sound = await soundOf(recording, join(scratch, 'recording'));
  for (const vocabulary of [[], everyName]) {
    const before = cpuSeconds();
    const text = await textOf(sound, vocabulary);
    const written = everyName.filter((name) => isWritten(name, text));
    console.log(
      `${(sound.durationSeconds / 60).toFixed(1)} min, ${vocabulary.length} names given: ${written.length} written ` +
        `(${written.join(', ')}), ${(cpuSeconds() - before).toFixed(1)} s of CPU`,
    );
  }
}

await listOf('chosen on', chosenOn);
await listOf('chosen later', chosenLater);
await listOf('unseen', unseen);
await unlike();
const recording = process.argv.find((argument) => argument.startsWith('--recording='))?.slice(12);
if (recording !== undefined) await without(recording);
process.exit();
