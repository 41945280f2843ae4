// Videos whose every picture carries its number as sixteen black or white squares, a parity row, and a flash beside
// clicks in the sound.
import { spawnSync } from 'node:child_process';
import { setImmediate as turn } from 'node:timers/promises';
import {
  openVideoEdit,
  type VideoEdit,
  type VideoEditOptions,
} from '../../../../src/library/media/video/video-edit.ts';
import { timeMap } from '../../../../src/library/edit/edit-list.ts';
import { readAll } from '../../../fixtures/media/media.ts';
import { writeWav } from '../../../fixtures/media/pcm-files.ts';

const width = 160;
const height = 96;
const square = 20;

/** Draws one gray picture: bits in the two upper rows, their opposites below, and a field that is white in a flash. */
function draw(frame: Buffer, number: number, flash: boolean): void {
  frame.fill(90);
  const line = Buffer.alloc(width);
  const lines = (bits: number, from: number, count: number): void => {
    for (let bit = 0; bit < 8; bit += 1) line.fill((bits >> bit) & 1 ? 235 : 16, bit * square, (bit + 1) * square);
    for (let row = from; row < from + count; row += 1) frame.set(line, row * width);
  };
  lines(number, 0, square);
  lines(number >> 8, square, square);
  lines(~number, 40, 18);
  lines(~(number >> 8), 58, 18);
  frame.fill(flash ? 235 : 16, 78 * width);
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
  const raw = Buffer.alloc(count * width * height);
  for (let n = 0; n < count; n += 1)
    draw(raw.subarray(n * width * height, (n + 1) * width * height), n, flashEvery > 0 && n % flashEvery === 0);
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

/** What ffmpeg shows of a video, and from when on its sound plays. */
export interface Watched {
  /** Every picture; times from the file's start. */
  readonly seen: readonly Seen[];
  /** The same pictures, their times counted from the first sample of sound, as keeps are. */
  readonly onSoundClock: readonly Seen[];
}

interface Clocks {
  readonly frames: readonly { stream_index: number; best_effort_timestamp_time?: string }[];
  readonly streams: readonly { index: number; codec_type: string; start_time?: string }[];
  readonly format: { start_time?: string };
}

/** All that ffprobe knows of times, in one run: most of a run on a short file is its start. */
function clocksOf(path: string): Clocks {
  const entries = 'frame=stream_index,best_effort_timestamp_time:stream=index,codec_type,start_time:format=start_time';
  const run = spawnSync('ffprobe', ['-v', 'error', '-of', 'json', '-show_entries', entries, path], {
    maxBuffer: 1 << 28,
  });
  return JSON.parse(run.stdout.toString()) as Clocks;
}

/**
 * Every picture of a video as ffmpeg shows it: its number, -1 where the squares contradict each other, and its time.
 * Also fails on any complaint of the decoder.
 */
export function watch(path: string): Watched {
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
  const { frames, streams, format } = clocksOf(path);
  const shown = streams.find((one) => one.codec_type === 'video')?.index;
  const times = frames
    .filter((one) => one.stream_index === shown)
    .map((one) => Number.parseFloat(one.best_effort_timestamp_time ?? ''))
    .filter((value) => Number.isFinite(value));
  const start = Number(format.start_time ?? 0);
  const sound = Number(streams.find((one) => one.codec_type === 'audio')?.start_time ?? 0) - start;
  const size = width * height;
  const at = (frame: number, x: number, y: number): number => run.stdout[frame * size + y * width + x] as number;
  const seen = Array.from({ length: Math.floor(run.stdout.length / size) }, (_, frame) => {
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
  return { seen, onSoundClock: seen.map((one) => ({ ...one, seconds: one.seconds - Math.max(0, sound) })) };
}

/** Every picture of a video; times from the file's start. */
export const seenIn = (path: string): readonly Seen[] => watch(path).seen;

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
