// What a transcript holds that was not said: words where there is no speech, fillers of readings, names of a list.
//     node bench/speech/invented.ts FOLDER [--silent] [--language=en] [--minutes=60] [--joined=100] [--list=0]
// FOLDER holds recordings of yours: of reading, or with --silent of everything but speech and songs. Short ones are
// joined, with half a second between them, until they last as many seconds as --joined says (0: each alone). Readings
// are read verbatim with 40 of the names of vocabulary-cases.ts, another 40 for each --list; what remove_fillers would
// cut is printed with its time, and so is each name that is written. Hear them: readers do hesitate.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createFanOut } from '../../src/library/runtime/job/fan-out.ts';
import { extractSpeech, openSpeech, speechRate } from '../../src/library/speech/speech-sound.ts';
import { transcribe } from '../../src/library/speech/transcribe/transcribe.ts';
import { probe } from '../../src/library/media/read/probe.ts';
import { offeredCuts } from '../../src/library/tools/remove_fillers/offered.ts';
import { removeFillers } from '../../src/library/tools/remove_fillers/tool.ts';
import { flag } from '../compare.ts';
import { floats } from './readers.ts';
import { chosenLater, chosenOn, neverSaid, unseen } from './vocabulary-cases.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Expected a folder of recordings');
const isSilent = process.argv.includes('--silent');
const joinedSeconds = Number(flag('joined') ?? 100);
const mostSeconds = 60 * Number(flag('minutes') ?? 60);
const language = isSilent ? undefined : (flag('language') ?? 'en');
const listLength = 40;
const allNames = [...neverSaid, ...[...unseen, ...chosenLater, ...chosenOn].map(({ written }) => written)];
const first = Number(flag('list') ?? 0) * listLength;
const names = isSilent
  ? []
  : Array.from({ length: listLength }, (_, at) => allNames[(first + at) % allNames.length] ?? '');

const scratch = mkdtempSync(join(tmpdir(), 'earshot-invented-'));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
const { signal } = new AbortController();
const fanOut = createFanOut(1, signal);

interface Recording {
  readonly title: string;
  readonly samples: Float32Array;
}

function joined(title: string, parts: readonly Float32Array[]): Recording {
  const pause = Math.round(speechRate / 2);
  const samples = new Float32Array(parts.reduce((sum, part) => sum + part.length + pause, 0));
  let at = 0;
  for (const part of parts) {
    samples.set(part, at);
    at += part.length + pause;
  }
  return { title, samples };
}

async function* recordings(from: string): AsyncGenerator<Recording> {
  let [parts, title, length, all]: [Float32Array[], string, number, number] = [[], '', 0, 0];
  for (const name of readdirSync(from, { recursive: true }).map(String).toSorted()) {
    if (!/\.(flac|wav|mp3|ogg)$/u.test(name) || all >= mostSeconds) continue;
    const options = { signal, onProgress: () => undefined };
    const work = mkdtempSync(join(scratch, 'read-'));
    const sound = await extractSpeech(probe(join(from, name)), work, options);
    const part = floats(sound.path);
    sound.close();
    rmSync(work, { recursive: true });
    if (parts.length === 0) title = basename(name);
    parts.push(part);
    [length, all] = [length + part.length / speechRate, all + part.length / speechRate];
    if (length < joinedSeconds) continue;
    yield joined(title, parts);
    [parts, length] = [[], 0];
  }
  if (parts.length > 0) yield joined(title, parts);
}

const isWritten = (name: string, text: string): boolean => new RegExp(`(?<!\\p{L})${name}(?!\\p{L})`, 'iu').test(text);

let [seconds, words, fillers, repeats, named] = [0, 0, 0, 0, 0];
const choice = removeFillers.parseOptions({});
for await (const { title, samples } of recordings(folder)) {
  const path = join(scratch, 'sound.f32');
  writeFileSync(path, samples);
  const sound = openSpeech(path);
  const { transcript } = await transcribe(sound, {
    language,
    verbatim: !isSilent,
    vocabulary: names,
    speakerLabels: false,
    modelsDir: undefined,
    fanOut,
    signal,
    pass: () => () => undefined,
  });
  const said = transcript.sentences.flatMap((sentence) => sentence.words);
  seconds += sound.durationSeconds;
  words += said.length;
  const text = said.map((word) => word.text).join(' ');
  if (isSilent && said.length > 0) console.log(`${title}: "${text}"`);
  const written = names.filter((name) => isWritten(name, text));
  named += written.length;
  if (written.length > 0) console.log(`${title}: ${written.join(', ')} in "${text}"`);
  if (!isSilent) {
    const { cuts } = await offeredCuts(sound, said, choice, {
      language: language ?? 'en',
      signal,
      onProgress: () => undefined,
    });
    for (const cut of cuts) {
      if (cut.kind === 'repeat') repeats += 1;
      else fillers += 1;
      const times = `${cut.startSeconds.toFixed(2)}-${cut.endSeconds.toFixed(2)}`;
      const around = said.filter((word) => Math.abs(word.startSeconds - cut.startSeconds) < 1.5);
      console.log(`${title}: ${cut.kind} "${cut.text}" ${times} in "${around.map((word) => word.text).join(' ')}"`);
    }
  }
  sound.close();
  console.error(`${(seconds / 60).toFixed(1)} min, ${words} words`);
}
console.log(
  `${(seconds / 60).toFixed(1)} min, ${words} words` +
    (isSilent
      ? ''
      : `; ${fillers} fillers, ${repeats} repeats would be cut; ${named} of ${names.length} names written`),
);
process.exit();
