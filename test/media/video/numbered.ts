// Videos whose every picture carries its number as sixteen black or white squares, a parity row, and a flash beside
// clicks in the sound.
import { spawnSync } from 'node:child_process';
import { setImmediate as turn } from 'node:timers/promises';
import { openVideoEdit, type VideoEdit, type VideoEditOptions } from '../../../src/media/video/video-edit.ts';
import { timeMap } from '../../../src/edit/edit-list.ts';
import { ffprobe, readAll } from '../../fixtures/media/media.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';

const width = 160;
const height = 96;
const square = 20;

/** One gray picture: bits in the two upper rows, their opposites below, and a field that is white in a flash. */
function picture(number: number, flash: boolean): Buffer {
  const frame = Buffer.alloc(width * height, 90);
  for (let bit = 0; bit < 16; bit += 1) {
    const on = ((number >> bit) & 1) === 1;
    const x = (bit % 8) * square;
    const y = bit < 8 ? 0 : square;
    for (let row = 0; row < square; row += 1) {
      frame.fill(on ? 235 : 16, (y + row) * width + x, (y + row) * width + x + square);
      if (row < 18)
        frame.fill(
          on ? 16 : 235,
          (40 + (bit < 8 ? 0 : 18) + row) * width + x,
          (40 + (bit < 8 ? 0 : 18) + row) * width + x + square,
        );
    }
  }
  frame.fill(flash ? 235 : 16, 78 * width);
  return frame;
}

export interface NumberedOptions {
  readonly count: number;
  readonly rate?: string;
  readonly codec: readonly string[];
  /** Filters on the picture (setpts for varying rates). */
  readonly filter?: string;
  readonly input?: readonly string[];
  readonly output?: readonly string[];
  /** A flash and a click every so many pictures. */
  readonly flashEvery?: number;
  readonly soundRate?: number;
  readonly audio?: readonly string[];
  readonly soundDelay?: number;
}

export const rateOf = (rate: string): number => {
  const [num = 25, den = 1] = rate.split('/').map(Number);
  return num / den;
};

/** Writes a numbered video; picture 0 stands at 0 s. */
export function makeNumbered(path: string, options: NumberedOptions): string {
  const { count, rate = '25', flashEvery = 0, soundRate = 48_000 } = options;
  const raw = Buffer.concat(
    Array.from({ length: count }, (_, n) => picture(n, flashEvery > 0 && n % flashEvery === 0)),
  );
  const seconds = count / rateOf(rate);
  const sound = new Float32Array(Math.round(seconds * soundRate));
  if (flashEvery > 0) {
    for (let n = 0; n < count; n += flashEvery) {
      const from = Math.round((n / rateOf(rate)) * soundRate);
      for (let at = from; at < from + 240 && at < sound.length; at += 1) sound[at] = (at - from) % 48 < 24 ? 0.8 : -0.8;
    }
  }
  const wav = writeWav(`${path}.wav`, [sound], soundRate);
  const run = spawnSync(
    'ffmpeg',
    [
      '-hide_banner',
      '-nostats',
      '-v',
      'error',
      '-y',
      '-f',
      'rawvideo',
      '-pix_fmt',
      'gray',
      '-s',
      `${width}x${height}`,
      '-r',
      rate,
      '-i',
      '-',
      ...(options.soundDelay ? ['-itsoffset', String(options.soundDelay)] : []),
      '-i',
      wav,
      ...(options.input ?? []),
      '-map',
      '0:v',
      '-map',
      '1:a',
      ...(options.filter ? ['-vf', options.filter] : []),
      '-fps_mode',
      'passthrough',
      '-pix_fmt',
      'yuv420p',
      ...options.codec,
      ...(options.audio ?? ['-c:a', 'aac', '-b:a', '64k']),
      ...(options.output ?? []),
      path,
    ],
    { input: raw, maxBuffer: 1 << 26 },
  );
  if (run.status !== 0) throw new Error(`ffmpeg failed: ${run.stderr.toString().slice(-800)}`);
  return path;
}

export interface Seen {
  readonly number: number;
  readonly seconds: number;
  readonly flash: boolean;
}

/**
 * Every picture of a video as ffmpeg shows it: its number, -1 where the squares contradict each other, and its time
 * from the file's start. Also fails on any complaint of the decoder.
 */
export function seenIn(path: string): Seen[] {
  const run = spawnSync(
    'ffmpeg',
    [
      '-hide_banner',
      '-nostats',
      '-v',
      'error',
      '-noautorotate',
      '-copyts',
      '-i',
      path,
      '-map',
      '0:v:0',
      '-vf',
      'settb=1,setpts=N*10',
      '-fps_mode',
      'passthrough',
      '-pix_fmt',
      'gray',
      '-f',
      'rawvideo',
      '-',
    ],
    { maxBuffer: 1 << 30 },
  );
  const complaint = run.stderr.toString();
  if (run.status !== 0 || complaint !== '') throw new Error(`decoding ${path} complains: ${complaint.slice(0, 600)}`);
  const times = spawnSync(
    'ffprobe',
    [
      '-v',
      'error',
      '-select_streams',
      'v:0',
      '-show_entries',
      'frame=best_effort_timestamp_time',
      '-of',
      'csv=p=0',
      path,
    ],
    { maxBuffer: 1 << 28 },
  )
    .stdout.toString()
    .split('\n')
    .map((line) => Number.parseFloat(line))
    .filter((value) => Number.isFinite(value));
  const start = Number((ffprobe(path).format as { start_time?: string }).start_time ?? 0);
  const size = width * height;
  const at = (frame: number, x: number, y: number): number => run.stdout[frame * size + y * width + x] as number;
  return Array.from({ length: Math.floor(run.stdout.length / size) }, (_, frame) => {
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
      seconds: (times[frame] ?? Number.NaN) - start,
      flash: at(frame, width / 2, 88) > 128,
    };
  });
}

export interface Keep {
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** Cuts a video by our own decoder, hard cuts in the sound, and `openVideoEdit`. */
export async function cut(
  source: string,
  path: string,
  keeps: readonly Keep[],
  more: Partial<VideoEditOptions> = {},
): Promise<VideoEdit> {
  const sound = readAll(source);
  const rate = sound.format.sampleRate;
  const frames = keeps
    .map((keep) => ({
      start: Math.round(keep.startSeconds * rate),
      end: Math.min(sound.frames, Math.round(keep.endSeconds * rate)),
    }))
    .filter((keep) => keep.end > keep.start);
  const map = timeMap({ sampleRate: rate, sourceFrames: sound.frames, keeps: frames, crossfadeFrames: 0 });
  const sink = await openVideoEdit(path, source, sound.format, {
    keeps: frames.map((keep) => ({ startSeconds: keep.start / rate, endSeconds: keep.end / rate })),
    mapTime: map.toOutput,
    ...more,
  });
  try {
    for (const keep of frames) {
      for (let at = keep.start; at < keep.end; at += rate) {
        const end = Math.min(keep.end, at + rate);
        sink.write({ planes: sound.planes.map((plane) => plane.subarray(at, end)), frames: end - at });
        await turn();
      }
    }
    sink.finish();
    return sink;
  } finally {
    sink.close();
  }
}

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

/** Times counted from the first sample of sound, as keeps are. */
export function onSoundClock(path: string, seen: readonly Seen[]): Seen[] {
  const { format, streams } = ffprobe(path);
  const sound =
    Number(streams.find((one) => one.codec_type === 'audio')?.start_time ?? 0) -
    Number((format as { start_time?: string }).start_time ?? 0);
  return seen.map((one) => ({ ...one, seconds: one.seconds - Math.max(0, sound) }));
}
