// Words that are taken out of recordings: does a reading of the result find any, and how many of their neighbours are
// lost with them?
//   npm run bench:redact -- --recordings FOLDER [--words 500 --mode mute --guard 60 --seed 1 --keep FOLDER]
// Words as names are: of five letters and more, said once or twice, with five others between them. The words beside
// them are their neighbours. What is lost of words three and more away is what two readings differ by in any case.
// A recogniser reads by the sense of a sentence, so a word that is gone changes how the next is read though its sound
// is whole. Where the folder of --keep has edges by another aligner (align.py), two more readings say what that is:
// "at those edges" takes exactly the word by them, and "put back" is the recording without what the run took of
// anything but the words that were sought. There, neighbours are lost by their sound alone.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Transcript } from '../../src/library/contract/transcript.ts';
import type { TimeRange } from '../../src/library/core/time-range.ts';
import { orderedWords } from '../../src/library/speech/redact/places.ts';
import { plainLetters } from '../../src/library/speech/redact/tokens.ts';
import type { RedactAudioResult } from '../../src/library/tools/redact_audio/result.ts';
import { redactAudio } from '../../src/library/tools/redact_audio/tool.ts';
import { transcribeAudio } from '../../src/library/tools/transcribe_audio/tool.ts';
import { readAll } from '../../test/fixtures/media/media.ts';
import { writeWav } from '../../test/fixtures/media/pcm-files.ts';
import { seeded } from '../../test/fixtures/random.ts';
import { runWith } from '../../test/library/dsp/tool-run.ts';
import { partners } from './partners.ts';

const { values: given } = parseArgs({
  options: {
    recordings: { type: 'string' },
    words: { type: 'string', default: '500' },
    mode: { type: 'string', default: 'mute' },
    guard: { type: 'string' },
    seed: { type: 'string', default: '1' },
    keep: { type: 'string' },
  },
});
if (given.recordings === undefined) throw new Error('Expected --recordings FOLDER: sound files with speech');
const recordings = given.recordings;
const folder = mkdtempSync(join(tmpdir(), 'earshot-bench-redact-'));
const kept = given.keep ?? folder;
mkdirSync(kept, { recursive: true });
const random = seeded(Number(given.seed));

/** What a recogniser reads without being told what to look for. */
async function read(path: string): Promise<Transcript> {
  const run = await runWith(
    transcribeAudio,
    { file_id: [path] },
    { speaker_labels: false, language: 'en' },
    join(folder, 'read-'),
  );
  const json = run.outputs.find(({ format }) => format === 'json');
  return JSON.parse(readFileSync(json?.path ?? '', 'utf8')) as Transcript;
}

const bare = (text: string): string => plainLetters(text).replaceAll(/[^\p{L}\p{N}]/gu, '');

/** Words of five letters and more, said once or twice, each place at least this many words from the next. */
const leastApart = 5;

function drawWords(all: readonly string[]): Set<string> {
  const placesOf = new Map<string, number[]>();
  for (const [at, word] of all.entries()) placesOf.set(word, [...(placesOf.get(word) ?? []), at]);
  const candidates = [...placesOf].filter(([word, places]) => word.length >= 5 && places.length <= 2);
  const drawn = new Set<string>();
  const taken: number[] = [];
  while (candidates.length > 0) {
    const [[word, places]] = candidates.splice(Math.floor(random() * candidates.length), 1) as [[string, number[]]];
    const all = [...taken, ...places];
    const isApart = places.every((at) => all.every((other) => other === at || Math.abs(other - at) > leastApart));
    if (!isApart) continue;
    drawn.add(word);
    taken.push(...places);
  }
  return drawn;
}

/** Of the words of a recording by their order, by another aligner, which does not find all: seconds. */
type Edges = Readonly<Record<string, readonly [start: number, end: number]>>;

/** The recording with silence in stretches, fades of 5 ms around them. */
function silenced(path: string, name: string, ranges: readonly TimeRange[]): string {
  const { planes, format } = readAll(path);
  const fade = Math.round(0.005 * format.sampleRate);
  for (const { startSeconds, endSeconds } of ranges) {
    const [start, end] = [startSeconds, endSeconds].map((each) => Math.round(each * format.sampleRate));
    for (const plane of planes)
      for (let at = Math.max(0, start! - fade); at < Math.min(plane.length, end! + fade); at += 1)
        plane[at]! *= 1 - Math.min(1, (at - start! + fade + 1) / (fade + 1), (end! + fade - at) / (fade + 1));
  }
  return writeWav(join(folder, `${name}.wav`), planes, format.sampleRate, 's16');
}

/** What of stretches lies outside of others, but the fades. */
function outsideOf(ranges: readonly TimeRange[], words: readonly TimeRange[]): TimeRange[] {
  const fade = 0.005;
  return ranges.flatMap(({ startSeconds, endSeconds }) => {
    let rest = [{ startSeconds: startSeconds + fade, endSeconds: endSeconds - fade }];
    for (const word of words)
      rest = rest.flatMap((one) => [
        { startSeconds: one.startSeconds, endSeconds: Math.min(one.endSeconds, word.startSeconds - fade) },
        { startSeconds: Math.max(one.startSeconds, word.endSeconds + fade), endSeconds: one.endSeconds },
      ]);
    return rest.filter((one) => one.endSeconds > one.startSeconds);
  });
}

function edgesOf(name: string): Edges {
  const path = join(kept, `${name}.edges.json`);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Edges) : {};
}

interface Row {
  readonly name: string;
  readonly taken: number;
  readonly readings: number;
  readonly leftByRun: number;
  readonly leftByOther: number;
  readonly neighbours: number;
  readonly lost: number;
  readonly others: number;
  readonly othersLost: number;
  /** Neighbours of words whose edges another aligner has, and those that are lost in the two further readings. */
  readonly edged: number;
  readonly edgedLost: number;
  readonly putBackLost: number;
}

async function judge(path: string): Promise<Row> {
  const name = basename(path, extname(path));
  const stored = join(kept, `${name}.json`);
  if (!existsSync(stored)) writeFileSync(stored, JSON.stringify(await read(path)));
  const transcript = JSON.parse(readFileSync(stored, 'utf8')) as Transcript;
  const words = orderedWords(transcript).map(({ text }) => bare(text));
  const drawn = drawWords(words);
  const run = await runWith(
    redactAudio,
    { file_id: [path], transcript_file_id: [stored] },
    {
      words: [...drawn],
      mode: given.mode,
      language: 'en',
      ...(given.guard === undefined ? {} : { guard_ms: Number(given.guard) }),
    },
    join(folder, 'run-'),
  );
  const result = run.result as unknown as RedactAudioResult;
  const output = run.outputs[0]?.path ?? '';
  const heard = orderedWords(await read(output)).map(({ text }) => bare(text));
  const isTaken = words.map((word) => drawn.has(word));
  const rest = words.flatMap((word, at) => (isTaken[at] ? [] : [{ word, at }]));
  const foundIn = (reading: readonly string[]) =>
    partners(
      rest.map(({ word }) => word),
      reading,
    );
  const found = foundIn(heard);
  const distance = (at: number): number => {
    for (let far = 1; far < 4; far += 1) if (isTaken[at - far] || isTaken[at + far]) return far;
    return 4;
  };
  const count = (wanted: (far: number) => boolean, isLost: boolean): number =>
    rest.filter(({ at }, index) => wanted(distance(at)) && (!isLost || found[index] === null)).length;
  const edges = edgesOf(name);
  const hasEdges = (at: number): boolean => edges[at] !== undefined;
  const rangeOf = (at: number): TimeRange => ({ startSeconds: edges[at]![0], endSeconds: edges[at]![1] });
  const taken = words.flatMap((_, at) => (isTaken[at] ? [at] : []));
  const edged = taken.filter((at) => [at - 1, at, at + 1].every(hasEdges));
  const beside = (at: number): boolean => edged.includes(at - 1) || edged.includes(at + 1);
  const lostIn = (reading: readonly (number | null)[]): number =>
    rest.filter(({ at }, index) => beside(at) && reading[index] === null).length;
  const readWithout = async (kind: string, ranges: readonly TimeRange[]) =>
    foundIn(orderedWords(await read(silenced(path, `${name}-${kind}`, ranges))).map(({ text }) => bare(text)));
  const changed = (result.changed ?? []).filter((one) =>
    edged.some((at) => one.startSeconds < rangeOf(at).endSeconds && rangeOf(at).startSeconds < one.endSeconds),
  );
  return {
    name,
    edged: rest.filter(({ at }) => beside(at)).length,
    edgedLost: edged.length === 0 ? 0 : lostIn(await readWithout('edges', edged.map(rangeOf))),
    putBackLost:
      edged.length === 0
        ? 0
        : lostIn(await readWithout('back', outsideOf(changed, taken.filter(hasEdges).map(rangeOf)))),
    taken: isTaken.filter(Boolean).length,
    readings: result.readings ?? 0,
    leftByRun: result.left?.length ?? 0,
    leftByOther: heard.filter((word) => drawn.has(word)).length,
    neighbours: count((far) => far === 1, false),
    lost: count((far) => far === 1, true),
    others: count((far) => far >= 3, false),
    othersLost: count((far) => far >= 3, true),
  };
}

const percent = (part: number, whole: number): string => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
const rows: Row[] = [];
const sum = (key: Exclude<keyof Row, 'name'>): number => rows.reduce((total, row) => total + row[key], 0);
console.log(
  'recording            taken  readings  left (run)  left (other)  neighbours lost      others lost   at those edges         put back',
);
const line = (name: string, row: Omit<Row, 'name'>): string =>
  name.padEnd(20) +
  String(row.taken).padStart(6) +
  String(row.readings).padStart(10) +
  String(row.leftByRun).padStart(12) +
  String(row.leftByOther).padStart(14) +
  `${row.lost} of ${row.neighbours} ${percent(row.lost, row.neighbours)}`.padStart(17) +
  `${row.othersLost} of ${row.others} ${percent(row.othersLost, row.others)}`.padStart(17) +
  `${row.edgedLost} of ${row.edged} ${percent(row.edgedLost, row.edged)}`.padStart(17) +
  `${row.putBackLost} of ${row.edged} ${percent(row.putBackLost, row.edged)}`.padStart(17);
for (const file of readdirSync(recordings).toSorted()) {
  if (sum('taken') >= Number(given.words)) break;
  if (!/\.(?:wav|flac|mp3|m4a|ogg|opus)$/.test(file)) continue;
  const row = await judge(join(recordings, file));
  rows.push(row);
  console.log(line(row.name, row));
}
console.log(
  line('together', {
    taken: sum('taken'),
    readings: sum('readings'),
    leftByRun: sum('leftByRun'),
    leftByOther: sum('leftByOther'),
    neighbours: sum('neighbours'),
    lost: sum('lost'),
    others: sum('others'),
    othersLost: sum('othersLost'),
    edged: sum('edged'),
    edgedLost: sum('edgedLost'),
    putBackLost: sum('putBackLost'),
  }),
);
rmSync(folder, { recursive: true, force: true });
