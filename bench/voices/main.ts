// Voices known again: of people with a print those that are named, and of strangers those that are named wrongly.
//   npm run bench:voices -- FOLDER [--known 10] [--seed 1] [--seconds 5] [--print-seconds 30] [--most 12] [--keep FILE]
//   npm run bench:voices -- --from FILE     decides again about what --keep has kept
// FOLDER has a folder for each reader with recordings of that person alone. Prints are made of one half of a reader's
// recordings, clips for the test of the other, spoilt by conditions that are made here. Each trial takes other people
// as the known ones. Meetings with several people: meetings.ts.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createFanOut } from '../../src/library/runtime/job/fan-out.ts';
import { openSpeech, type SpeechSound, speechRate } from '../../src/library/speech/speech-sound.ts';
import { searchFolders } from '../../src/library/models/folders.ts';
import { readSpeakerNetworks } from '../../src/library/speech/speakers/networks.ts';
import { type HeardVoice, heardVoices } from '../../src/library/speech/voices/heard-voices.ts';
import { nameVoices } from '../../src/library/speech/voices/known-voices.ts';
import { makeVoicePrint } from '../../src/library/speech/voices/voice-print.ts';
import type { VoicePrint } from '../../src/library/contract/voice-print.ts';
import { seeded } from '../../test/fixtures/random.ts';
import { readVoice } from '../../test/fixtures/sounds/conversations.ts';
import { conditions, through } from './conditions.ts';

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    known: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '5' },
    'print-seconds': { type: 'string', default: '30' },
    most: { type: 'string', default: '12' },
    keep: { type: 'string' },
    from: { type: 'string' },
    trials: { type: 'string', default: '20' },
  },
});
const [folder] = positionals;
if (folder === undefined && given.from === undefined)
  throw new Error('Expected a folder with a folder of recordings for each reader');
const [known, seed, seconds, printSeconds, most, trials] = [
  given.known,
  given.seed,
  given.seconds,
  given['print-seconds'],
  given.most,
  given.trials,
].map(Number) as [number, number, number, number, number, number];

const work = mkdtempSync(join(tmpdir(), 'earshot-voices-'));
const { signal } = new AbortController();
const fanOut = createFanOut(1, signal);
const listening = { fanOut, signal, onProgress: () => undefined };
const networks = await readSpeakerNetworks(searchFolders());
let files = 0;

function soundOf(samples: Float32Array): SpeechSound {
  const path = join(work, `${(files += 1)}.f32`);
  writeFileSync(path, new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength));
  return openSpeech(path);
}

async function printOf(samples: Float32Array): Promise<VoicePrint> {
  const workDir = join(work, `print-${(files += 1)}`);
  mkdirSync(workDir);
  const sound = soundOf(samples);
  try {
    return await makeVoicePrint(sound, { ...listening, modelsDir: undefined, workDir });
  } finally {
    sound.close();
  }
}

/** A clip as one voice: names come after speakers were told apart, which another bench measures. */
async function heard(samples: Float32Array): Promise<HeardVoice | null> {
  const sound = soundOf(samples);
  const turn = { speaker: 1, startSeconds: 0, endSeconds: sound.durationSeconds };
  const [voice] = await heardVoices(sound, [turn], networks, listening);
  sound.close();
  return voice ?? null;
}

const joined = (parts: readonly Float32Array[]): Float32Array => {
  const whole = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
};

interface Reader {
  readonly name: string;
  /** null: too little speech for one. */
  readonly print: VoicePrint | null;
  /** By condition. */
  readonly clips: ReadonlyMap<string, readonly HeardVoice[]>;
}

async function readerOf(name: string, index: number): Promise<Reader> {
  const recordings = readdirSync(join(folder as string, name))
    .toSorted()
    .map((file) => readVoice(join(folder as string, name, file)));
  // One long recording is halved, several are taken in turn.
  const [whole] = recordings;
  const halves =
    recordings.length === 1 && whole !== undefined
      ? [whole.subarray(0, whole.length >> 1), whole.subarray(whole.length >> 1)]
      : [0, 1].map((half) => joined(recordings.filter((_, at) => at % 2 === half)));
  const [own, rest] = halves as [Float32Array, Float32Array];
  const print = await printOf(own.slice(0, printSeconds * speechRate)).catch((thrown: Error) => {
    console.log(`no print of ${name}: ${thrown.message}`);
    return null;
  });
  const length = seconds * speechRate;
  const count = Math.min(most, Math.max(1, Math.floor(rest.length / length)));
  const clips = new Map<string, HeardVoice[]>();
  for (const [kind, condition] of conditions.entries()) {
    const voices: HeardVoice[] = [];
    for (let clip = 0; clip < count; clip += 1) {
      const plain = rest.slice(clip * length, (clip + 1) * length);
      const voice = await heard(through(condition, plain, work, 1000 * index + 100 * kind + clip + seed));
      if (voice !== null) voices.push(voice);
    }
    clips.set(condition, voices);
  }
  return { name, print, clips };
}

interface Kept {
  readonly name: string;
  readonly print: VoicePrint | null;
  /** By condition: the seconds of each clip, and its direction. */
  readonly clips: Readonly<Record<string, readonly (readonly number[])[]>>;
}

const keptIn = (path: string): Reader[] =>
  (JSON.parse(readFileSync(path, 'utf8')) as Kept[]).map(({ clips, ...reader }) => ({
    ...reader,
    clips: new Map(
      Object.entries(clips).map(([condition, rows]) => [
        condition,
        rows.map(([long = 0, ...way]) => ({
          speaker: 1,
          pieces: [],
          seconds: long,
          direction: Float32Array.from(way),
        })),
      ]),
    ),
  }));

const readers: Reader[] = [];
if (given.from !== undefined) readers.push(...keptIn(given.from));
else
  for (const [index, name] of readdirSync(folder as string)
    .toSorted()
    .entries())
    readers.push(await readerOf(name, index));
if (given.keep !== undefined)
  writeFileSync(
    given.keep,
    JSON.stringify(
      readers.map(({ name, print, clips }) => ({
        name,
        print,
        clips: Object.fromEntries(
          [...clips].map(([kind, voices]) => [
            kind,
            voices.map(({ direction, seconds: long }) => [long, ...direction]),
          ]),
        ),
      })),
    ),
  );
const withPrints = readers.filter(({ print }) => print !== null);
console.log(`${readers.length} readers, ${withPrints.length} with prints; ${known} known in each of ${trials} trials`);

const share = (part: number, all: number): string => (all === 0 ? '-' : (part / all).toFixed(3));
console.log('\n| condition | known: named | other name | strangers named | tests |\n|---|---|---|---|---|');
const random = seeded(seed);
const chosen = Array.from({ length: trials }, () =>
  withPrints
    .map((reader) => ({ reader, key: random() }))
    .toSorted((a, b) => a.key - b.key)
    .slice(0, known)
    .map(({ reader }) => reader),
);
for (const condition of conditions) {
  const taking = new Map<string, number>();
  let [tests, right, wrong, strange, taken] = [0, 0, 0, 0, 0];
  for (const people of chosen) {
    const prints = people.map(({ name, print }) => ({ name, print: print as VoicePrint }));
    for (const reader of readers)
      for (const voice of reader.clips.get(condition) ?? []) {
        const [{ name } = { name: null }] = nameVoices(
          [{ speaker: 1, startSeconds: 0, endSeconds: seconds }],
          [voice],
          prints,
        ).decisions;
        if (people.includes(reader)) {
          tests += 1;
          if (name === reader.name) right += 1;
          else if (name !== null) wrong += 1;
        } else {
          strange += 1;
          if (name !== null) {
            taken += 1;
            const pair = `${reader.name} as ${name}`;
            taking.set(pair, (taking.get(pair) ?? 0) + 1);
          }
        }
      }
  }
  console.log(
    `| ${condition} | ${share(right, tests)} | ${share(wrong, tests)} | ${share(taken, strange)} | ` +
      `${tests / trials} and ${strange / trials} a trial |`,
  );
  for (const [pair, count] of taking) console.log(`  taken: ${pair}, ${count} times`);
}
rmSync(work, { recursive: true });
process.exit(0);
