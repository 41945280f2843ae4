// Timelines read back by other programs' readers (read.py says which): the clips that they find and the length, beside
// what was cut; and the time that 5,000 cuts take to write.
//   npm run bench:timelines
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { frameRateOf } from '../../src/library/timeline/form/frames.ts';
import { lengthOf, type Timeline, type TimelineFormat } from '../../src/library/timeline/form/timeline.ts';
import { timelineFormats } from '../../src/library/timeline/write-timeline.ts';

const folder = mkdtempSync(join(tmpdir(), 'earshot-timelines-'));
const script = fileURLToPath(new URL('read.py', import.meta.url));
const read: readonly TimelineFormat[] = ['otio', 'fcpxml', 'xmeml', 'edl', 'reaper'];

/** Cuts of 0.2 to 5 s in a recording, by a fixed rule. */
function made(cuts: number, frameRate: number | null): Timeline {
  let [state, start, at] = [12_345, 0, 0];
  const random = (): number => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
  const clips = Array.from({ length: cuts }, () => {
    start += 0.2 + random();
    const length = 0.2 + 4.8 * random();
    const clip = { source: 0, startSeconds: start, endSeconds: start + length, atSeconds: at };
    start += length;
    at += length;
    return clip;
  });
  const picture = frameRate === null ? null : { width: 1920, height: 1080, rate: frameRateOf(frameRate) };
  const sound = { sampleRate: 48_000, channels: 2 };
  const source = { path: '/media/ü & 1.mov', name: 'ü & 1.mov', durationSeconds: start + 1, sound, picture };
  return {
    name: `${cuts} cuts`,
    sources: [{ ...source, startFrames: null }],
    tracks: [{ name: 'host', clips }],
    markers: [],
  };
}

console.log('pictures  format   clips    read  length, s     read         off, ms');
for (const frameRate of [null, 25, 29.97, 23.976]) {
  const timeline = made(40, frameRate);
  const paths = read.map((format) => {
    const { extension, write } = timelineFormats[format];
    const path = join(folder, `${frameRate ?? 'sound'}.${extension}`);
    writeFileSync(path, write(timeline).text);
    return path;
  });
  const rate = frameRate === null ? 30 : frameRateOf(frameRate).num / frameRateOf(frameRate).den;
  const ran = spawnSync('python3', [script, String(rate), ...paths], { encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(`Expected python3 with the readers that read.py names: ${ran.stderr}`);
  const found = ran.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { clips?: number; seconds?: number; failed?: string });
  for (const [index, format] of read.entries()) {
    const { clips, seconds, failed } = found[index] ?? {};
    const length = lengthOf(timeline);
    const end =
      failed ??
      `${String(clips).padStart(5)}  ${length.toFixed(4)}  ${(seconds ?? 0).toFixed(4)}  ${(1000 * ((seconds ?? 0) - length)).toFixed(3)}`;
    console.log(`${String(frameRate ?? 'none').padEnd(8)}  ${format.padEnd(7)}  ${String(40).padStart(5)}  ${end}`);
  }
}

const many = made(5000, 29.97);
console.log('\n5,000 cuts, CPU');
for (const [format, { write }] of Object.entries(timelineFormats)) {
  const from = process.cpuUsage();
  const { text } = write(many);
  console.log(
    `${format.padEnd(9)} ${(process.cpuUsage(from).user / 1000).toFixed(0).padStart(5)} ms  ${(text.length / 1e6).toFixed(2)} MB`,
  );
}
rmSync(folder, { recursive: true });
