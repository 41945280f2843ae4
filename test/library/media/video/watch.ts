// What ffmpeg shows of numbered videos. One run for several files and for pictures and times at once: most of a run on
// short files is its start.
import { spawnSync } from 'node:child_process';
import { expect } from 'vitest';
import { height, type Keep, square, width } from './numbered.ts';

export interface Seen {
  /** -1 where the squares contradict each other. */
  readonly number: number;
  readonly seconds: number;
  readonly flash: boolean;
}

export interface Watched {
  /** Every picture; times from the file's zero, as keeps are. */
  readonly seen: readonly Seen[];
}

/** What ffmpeg's log says of a file, in seconds on the file's own clock. */
interface Times {
  start: number;
  readonly ofPictures: number[];
}

/** @throws Error at any complaint of a decoder */
function timesIn(log: string, paths: readonly string[]): Times[] {
  const files = paths.map(() => ({ start: 0, ofPictures: [] as number[], tick: Number.NaN }));
  const complaints: string[] = [];
  let file = -1;
  for (const line of log.split('\n')) {
    if (/\[(?:error|fatal|panic)\]/u.test(line)) complaints.push(line);
    if (line.startsWith('[info] Input #')) file += 1;
    const start = /^\[info\] +Duration: .*, start: (-?[\d.]+)/u.exec(line)?.[1];
    if (start !== undefined) Object.assign(files[file] ?? {}, { start: Number(start) });
    const [, at = '', words = ''] = /^\[showinfo@(\d+) @ \w+\] \[info\] (.*)$/u.exec(line) ?? [];
    const shown = files[Number(at)];
    if (at === '' || shown === undefined) continue;
    const [, part, whole] = /^config in time_base: (\d+)\/(\d+)/u.exec(words) ?? [];
    if (part !== undefined) shown.tick = Number(part) / Number(whole);
    const ticks = /^n: *\d+ pts: *(\w+)/u.exec(words)?.[1];
    if (ticks !== undefined) shown.ofPictures.push(Number(ticks) * shown.tick);
  }
  if (complaints.length > 0)
    throw new Error(`decoding ${paths.join(', ')} complains: ${complaints.join('\n').slice(0, 600)}`);
  return files;
}

function numbersIn(pictures: Buffer, { start, ofPictures }: Times): Seen[] {
  const size = width * height;
  const at = (frame: number, x: number, y: number): number => pictures[frame * size + y * width + x] as number;
  return Array.from({ length: Math.floor(pictures.length / size) }, (_, frame) => {
    let number = 0;
    let sure = true;
    for (let bit = 0; bit < 16; bit += 1) {
      const x = (bit % 8) * square + square / 2;
      const value = at(frame, x, (bit < 8 ? 0 : square) + square / 2);
      const opposite = at(frame, x, 40 + (bit < 8 ? 0 : 18) + 9);
      if (Math.abs(value - opposite) < 60) sure = false;
      if (value > opposite) number |= 1 << bit;
    }
    return {
      number: sure ? number : -1,
      seconds: (ofPictures[frame] ?? Number.NaN) - start,
      flash: at(frame, width / 2, 88) > 128,
    };
  });
}

/** @throws Error when ffmpeg cannot read one, and at any complaint of a decoder */
export function watch<const Paths extends readonly string[]>(...paths: Paths): { [Index in keyof Paths]: Watched } {
  const filters = paths.map(
    (_, n) => `[${n}:v:0]scale=${width}:${height},showinfo@${n}=checksum=0,settb=1,setpts=N*10[${n}]`,
  );
  const outputs = paths.map((_, n) => `-map [${n}] -fps_mode passthrough -pix_fmt gray -f rawvideo pipe:${3 + n}`);
  const run = spawnSync(
    'ffmpeg',
    [
      '-hide_banner -nostats -nostdin -v level+info -copyts'.split(' '),
      paths.flatMap((path) => ['-noautorotate', '-i', path]),
      ['-filter_complex', filters.join(';')],
      outputs.flatMap((output) => output.split(' ')),
    ].flat(),
    { maxBuffer: 1 << 30, stdio: ['ignore', 'ignore', 'pipe', ...paths.map(() => 'pipe' as const)] },
  );
  const log = run.stderr.toString();
  if (run.status !== 0) throw new Error(`decoding ${paths.join(', ')} failed: ${log.slice(-600)}`);
  const watched = timesIn(log, paths).map((times, n): Watched => ({
    seen: numbersIn(run.output[3 + n] as unknown as Buffer, times),
  }));
  return watched as { [Index in keyof Paths]: Watched };
}

/** Every picture of a video; times from the file's start. */
export const seenIn = (path: string): readonly Seen[] => watch(path)[0].seen;

/** The source's pictures that lie in the keeps, with the times that they must have. */
export function expected(source: readonly Seen[], keeps: readonly Keep[]): { number: number; seconds: number }[] {
  const shown: { number: number; seconds: number }[] = [];
  let out = 0;
  for (const keep of keeps) {
    for (const one of source)
      if (one.seconds >= keep.startSeconds - 1e-6 && one.seconds < keep.endSeconds - 1e-6)
        shown.push({ number: one.number, seconds: out + one.seconds - keep.startSeconds });
    out += keep.endSeconds - keep.startSeconds;
  }
  return shown;
}

/** Numbers exactly; times but for one shift of all (container clocks begin where the sound's priming begins). */
export function hold(seen: readonly Seen[], wanted: readonly { number: number; seconds: number }[], off: number): void {
  expect(seen.map((one) => one.number)).toEqual(wanted.map((one) => one.number));
  // A programme stream gives a time to every packet of several pictures only.
  const shifts = seen
    .map((one, n) => one.seconds - (wanted[n] as { seconds: number }).seconds)
    .filter((shift) => !Number.isNaN(shift));
  expect(shifts.length).toBeGreaterThan(seen.length / 4);
  expect(Math.max(...shifts) - Math.min(...shifts)).toBeLessThan(2 * off);
}
