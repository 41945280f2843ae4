// Recordings that find each other: made rooms, calls and codecs with clocks that are known, beside what `sync` says.
//   npm run bench:sync [-- --seed 1 --seconds 600 --rooms 4 --first 0 --unlike 60 --unlike-seconds 180]
// Voices: those of the recordings that tests have, none of which the thresholds were set on. Each room has two talkers
// with a microphone each and a recorder; offsets to 60 s, drift to 200 ppm, SNR 20 to 5 dB, RT60 .3 to .8 s.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { AlignRecordingsResult } from '../../src/library/tools/align_recordings/result.ts';
import { alignRecordings } from '../../src/library/tools/align_recordings/tool.ts';
import { wavBytes } from '../../test/fixtures/media/pcm-files.ts';
import { seeded } from '../../test/fixtures/random.ts';
import { recording } from '../../test/fixtures/recordings.ts';
import { runWith } from '../../test/library/dsp/tool-run.ts';
import {
  coded,
  conversation,
  inRoom,
  phrasesOf,
  type Point,
  rate,
  type Recording,
  recorded,
  truthAt,
} from './rooms.ts';
import { unlikePair } from './unlike.ts';

const { values: given } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '600' },
    rooms: { type: 'string', default: '4' },
    first: { type: 'string', default: '0' },
    unlike: { type: 'string', default: '60' },
    'unlike-seconds': { type: 'string', default: '180' },
  },
});
const [seed, seconds, first] = [given.seed, given.seconds, given.first].map(Number) as [number, number, number];
const folder = mkdtempSync(join(tmpdir(), 'earshot-bench-sync-'));
const voices = [
  'jfk.wav',
  'um.flac',
  'sonnet001.mp3',
  'acoustic_corpus.wav',
  'austen-0870.wav',
  'clean_speech_48k.wav',
] as const;
const phrases = phrasesOf(voices.map((name) => recording(name)));

interface Case {
  readonly name: string;
  readonly one: Recording;
  readonly other: Recording;
  readonly related: boolean;
}

const between = (random: () => number, low: number, high: number): number => low + (high - low) * random();

/** Two microphones and a recorder in a room, all with clocks of their own. */
function* rooms(index: number): Generator<Case> {
  const random = seeded(1000 * seed + index);
  const rt60 = between(random, 0.3, 0.8);
  const snrDb = [20, 12, 8, 5][index % 4] as number;
  const talk = conversation(random, phrases, { seconds: seconds + 60, talkers: 2, lead: between(random, 1, 15) });
  const room: Point = [between(random, 4.5, 8), between(random, 3.5, 6), between(random, 2.4, 3.2)];
  const talkers: Point[] = [
    [1.4, 1.5, 1.2],
    [between(random, 2.8, 3.3), between(random, 1.9, 2.4), 1.25],
  ];
  const places: Point[] = [
    [1.55, 1.6, 1.1],
    [talkers[1]![0] - 0.12, talkers[1]![1] + 0.1, 1.1],
    [room[0] - 0.6, room[1] - 0.5, 1],
  ];
  const [first, second, far] = places.map((place, at) => {
    const ppm = between(random, -100, 100);
    const world = between(random, 0, 50);
    return recorded(
      `${at}`,
      inRoom(talk, room, talkers, place, rt60),
      [{ world, ppm, seconds: seconds - between(random, 0, 30) }],
      { random, snrDb: at === 2 ? snrDb : Math.max(snrDb, 10), gain: at === 1 ? -1 : 1 },
    );
  }) as [Recording, Recording, Recording];
  const say = `RT60 ${rt60.toFixed(2)}, ${snrDb} dB`;
  yield { name: `own microphones, ${say}`, one: first, other: second, related: true };
  yield { name: `own and recorder, ${say}`, one: first, other: far, related: true };
  const codec = (
    [
      ['opus', ['-c:a', 'libopus', '-b:a', '24k']],
      ['mp3', ['-c:a', 'libmp3lame', '-b:a', '48k']],
      ['m4a', ['-c:a', 'aac', '-b:a', '48k']],
      ['wav', ['-ar', '8000', '-c:a', 'pcm_mulaw']],
    ] as const
  )[index % 4]!;
  yield {
    name: `recorder and ${codec[0]} of it, ${say}`,
    one: far,
    other: { ...far, sound: coded(folder, far.sound, codec[0], codec[1]) },
    related: true,
  };
  // Each talker alone, as at the two ends of a call: nothing in common.
  const alone = talk.map((voice, at) =>
    recorded(`${at}`, voice, [{ world: between(random, 0, 40), ppm: 0, seconds: seconds - 50 }], { random, snrDb: 28 }),
  ) as [Recording, Recording];
  yield { name: 'two ends of a call', one: alone[0], other: alone[1], related: false };
  const call = talk[0]!.map((each, at) => each + (talk[1]![at] as number));
  const heard = recorded(
    'call',
    coded(folder, call, 'opus', ['-c:a', 'libopus', '-b:a', '16k']),
    [{ world: between(random, 0, 30), ppm: 25, seconds: seconds - 40 }],
    { random, snrDb: 30 },
  );
  yield { name: 'own and call', one: alone[0], other: heard, related: true };
}

const sync = async (recordings: readonly Recording[]) => {
  const paths = recordings.map(({ sound }, at) => {
    const path = join(folder, `${at}.wav`);
    writeFileSync(path, wavBytes([sound], rate, 's16'));
    return path;
  });
  const before = process.cpuUsage();
  const { result } = await runWith(
    alignRecordings,
    { file_ids: paths },
    { find_only: true, reference: 2 },
    join(folder, 'run-'),
  );
  const { user, system } = process.cpuUsage(before);
  return { found: result as unknown as AlignRecordingsResult, cpu: (user + system) / 1e6 };
};

const shown = (value: number | undefined, digits = 3): string => (value === undefined ? '' : value.toFixed(digits));
console.log('| case | found | error, ms: least, median, most | drift error, ppm | CPU s |\n|---|---|---|---|---|');
let [right, refused, wrong, unlike] = [0, 0, 0, 0];
const earlier: Recording[] = [];
const thisRoom: Recording[] = [];
for (let index = first; index < first + Number(given.rooms); index += 1) {
  earlier.push(...thisRoom.splice(0));
  for (const { name, one, other, related } of rooms(index)) {
    const pairs = [{ name, one, other, related }];
    // And with another room's recording: it shares voices and phrases, no moment.
    for (const strange of earlier.slice(-1)) pairs.push({ name: 'another room', one, other: strange, related: false });
    for (const pair of pairs) {
      const { found, cpu } = await sync([pair.one, pair.other]);
      const [own] = found.recordings;
      const isFound = (own?.pieces.length ?? 0) > 0;
      if (pair.related) right += 1;
      else unlike += 1;
      if (pair.related && !isFound) refused += 1;
      if (!pair.related && isFound) wrong += 1;
      const errors: number[] = [];
      const slopes: number[] = [];
      for (const { startSeconds, endSeconds, offsetSeconds, driftPpm } of own?.pieces ?? [])
        for (let at = Math.ceil(startSeconds) + 1; at < endSeconds - 2; at += 1) {
          const [truth, next] = [truthAt(pair.one, pair.other, at), truthAt(pair.one, pair.other, at + 1)];
          if (truth === null || next === null) continue;
          errors.push((at + offsetSeconds + (at - startSeconds) * driftPpm * 1e-6 - truth) * 1000);
          slopes.push(driftPpm - (next - truth - 1) * 1e6);
        }
      errors.sort((a, b) => a - b);
      if (pair.related || isFound)
        console.log(
          `| ${pair.name} | ${isFound ? 'yes' : 'no'} | ${shown(errors[0])}, ${shown(errors[errors.length >> 1])}, ` +
            `${shown(errors.at(-1))} | ${shown(slopes[slopes.length >> 1], 2)} | ${cpu.toFixed(1)} |`,
        );
    }
    if (related) thisRoom.push(one);
  }
}

/** Of pairs that share no moment, by kind: how many there were and how many were taken. */
const kinds = new Map<string, { pairs: number; taken: number }>();
for (let index = 0; index < Number(given.unlike); index += 1) {
  const { kind, one, other } = unlikePair(seed, index, phrases, Number(given['unlike-seconds']));
  const { found } = await sync([one, other]);
  const [pair] = found.pairs;
  const count = kinds.get(kind) ?? { pairs: 0, taken: 0 };
  kinds.set(kind, count);
  count.pairs += 1;
  unlike += 1;
  if (!pair?.related) continue;
  count.taken += 1;
  wrong += 1;
  console.log(`taken: ${kind} (${index}): ${JSON.stringify(pair)}`);
}
if (kinds.size > 0) console.log('\n| pairs that share no moment | pairs | taken |\n|---|---|---|');
for (const [kind, { pairs, taken }] of kinds) console.log(`| ${kind} | ${pairs} | ${taken} |`);
console.log(`\nright pairs ${right}, refused ${refused}; other pairs ${unlike}, taken ${wrong}`);
rmSync(folder, { recursive: true });
