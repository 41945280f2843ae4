// Three recorders of one room weighed together: two talkers' own microphones and one far away, whose clocks are known.
//   npm run bench:sync:together [-- --seed 51 --seconds 300 --first 0 --rooms 8]
// The recorder far away is the longest, so that it is the reference and neither microphone is placed by the other.
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
import { conversation, inRoom, phrasesOf, type Point, rate, type Recording, recorded } from './rooms.ts';

const { values: given } = parseArgs({
  options: {
    seed: { type: 'string', default: '51' },
    seconds: { type: 'string', default: '300' },
    rooms: { type: 'string', default: '8' },
    first: { type: 'string', default: '0' },
  },
});
const [seed, seconds, rooms] = [given.seed, given.seconds, given.rooms].map(Number) as [number, number, number];
const folder = mkdtempSync(join(tmpdir(), 'earshot-bench-sync-'));
const voices = ['um.flac', 'sonnet001.mp3', 'austen-0870.wav', 'clean_speech_48k.wav', 'jfk.wav'] as const;
const phrases = phrasesOf(voices.map((name) => recording(name)));
const speedOfSound = 343;

interface Room {
  readonly say: string;
  /** Two microphones, then the recorder. */
  readonly recordings: readonly Recording[];
  /** The sound's way from each talker to the recorder, ms. */
  readonly waysMs: readonly number[];
}

function roomOf(index: number): Room {
  const random = seeded(1000 * seed + index);
  const between = (low: number, high: number): number => low + (high - low) * random();
  const rt60 = between(0.3, 0.8);
  const snrDb = [20, 12, 8, 5][index % 4] as number;
  const talk = conversation(random, phrases, { seconds: seconds + 60, talkers: 2, lead: between(1, 10) });
  const size: Point = [between(4.5, 8), between(3.5, 6), between(2.4, 3.2)];
  const talkers: [Point, Point] = [
    [1.4, 1.5, 1.2],
    [between(2.8, 3.3), between(1.9, 2.4), 1.25],
  ];
  const far: Point = [size[0] - 0.6, size[1] - 0.5, 1];
  const places: Point[] = [[1.55, 1.6, 1.1], [talkers[1][0] - 0.12, talkers[1][1] + 0.1, 1.1], far];
  const recordings = places.map((place, at) =>
    recorded(
      `${at}`,
      inRoom(talk, size, talkers, place, rt60),
      [
        {
          world: at === 2 ? 0 : between(2, 40),
          ppm: between(-100, 100),
          seconds: at === 2 ? seconds + 55 : seconds - between(0, 30),
        },
      ],
      { random, snrDb: at === 2 ? snrDb : Math.max(snrDb, 10), gain: at === 1 ? -1 : 1 },
    ),
  );
  const wayOf = (talker: Point): number =>
    (1000 * Math.hypot(...talker.map((each, axis) => each - far[axis]!))) / speedOfSound;
  return { say: `RT60 ${rt60.toFixed(2)}, ${snrDb} dB`, recordings, waysMs: talkers.map(wayOf) };
}

/** The world's second at a second of the reference, by what is said of a recording, less the truth, ms. */
function missesOf(found: AlignRecordingsResult, recordings: readonly Recording[]): number[] {
  const reference = recordings[2]?.clocks[0];
  return found.recordings.slice(0, 2).map(({ pieces }, index) => {
    const [piece] = pieces;
    const clock = recordings[index]?.clocks[0];
    if (piece === undefined || clock === undefined || reference === undefined) return Number.NaN;
    const at = (recordings[index]?.sound.length ?? 0) / rate / 2;
    const said = at + piece.offsetSeconds + (at - piece.startSeconds) * piece.driftPpm * 1e-6;
    const world = clock.world + at * (1 + clock.ppm * 1e-6);
    return 1000 * (said - (world - reference.world) / (1 + reference.ppm * 1e-6));
  });
}

console.log(
  '| room | microphones to each other, ms | each to the recorder, ms | drift to each other, ppm | CPU s |\n|---|---|---|---|---|',
);
for (let index = Number(given.first); index < rooms; index += 1) {
  const { say, recordings, waysMs } = roomOf(index);
  const paths = recordings.map(({ sound }, at) => {
    const path = join(folder, `${at}.wav`);
    writeFileSync(path, wavBytes([sound], rate, 's16'));
    return path;
  });
  const before = process.cpuUsage();
  const { result } = await runWith(alignRecordings, { file_ids: paths }, { find_only: true }, join(folder, 'run-'));
  const { user, system } = process.cpuUsage(before);
  const found = result as unknown as AlignRecordingsResult;
  const [first = Number.NaN, second = Number.NaN] = missesOf(found, recordings);
  const [one, two] = [
    found.recordings[0]?.pieces[0]?.driftPpm ?? Number.NaN,
    found.recordings[1]?.pieces[0]?.driftPpm ?? Number.NaN,
  ];
  const ppm = recordings.map(({ clocks }) => clocks[0]?.ppm ?? 0);
  const drift = one - two - ((ppm[0] ?? 0) - (ppm[1] ?? 0));
  const kinds = found.pairs.map(({ a, b, kind }) => `${a}-${b} ${kind}`).join(', ');
  console.log(
    `| ${say}, ways ${waysMs.map((each) => each.toFixed(1)).join(' and ')} ms, ${kinds} | ${(first - second).toFixed(2)} | ` +
      `${first.toFixed(2)}, ${second.toFixed(2)} | ${drift.toFixed(2)} | ${((user + system) / 1e6).toFixed(1)} |`,
  );
}
rmSync(folder, { recursive: true });
