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
import { recording } from '../../test/fixtures/recordings.ts';
import { runWith } from '../../test/library/dsp/tool-run.ts';
import { phrasesOf, rate, type Recording } from './rooms.ts';
import { roomOf } from './three.ts';

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
  const { say, recordings, waysMs } = roomOf(seed, index, seconds, phrases);
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
