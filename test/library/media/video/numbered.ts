// Videos whose every picture carries its number as sixteen black or white squares, a parity row, and a flash beside
// clicks in the sound. What is seen of them: watch.ts.
import { setImmediate as turn } from 'node:timers/promises';
import {
  openVideoEdit,
  type VideoEdit,
  type VideoEditOptions,
} from '../../../../src/library/media/video/video-edit.ts';
import { timeMap } from '../../../../src/library/edit/edit-list.ts';
import { ffmpegFrom, readAll } from '../../../fixtures/media/media.ts';
import { writeWav } from '../../../fixtures/media/pcm-files.ts';
import { probe } from '../../../../src/library/media/read/probe.ts';

export const width = 160;
export const height = 96;
export const square = 20;

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
export function makeNumbered(path: string, { count, ...options }: NumberedOptions): string {
  makeAllNumbered([{ path, count }], options);
  return path;
}

/** Several that begin alike and are of different lengths, in one run of ffmpeg. Answers their paths. */
export function makeAllNumbered(
  files: readonly { readonly path: string; readonly count: number }[],
  options: Omit<NumberedOptions, 'count'>,
): string[] {
  const { rate = '25', flashEvery = 0, soundRate = 48_000 } = options;
  const most = Math.max(...files.map(({ count }) => count));
  const raw = Buffer.alloc(most * width * height);
  for (let n = 0; n < most; n += 1)
    draw(raw.subarray(n * width * height, (n + 1) * width * height), n, flashEvery > 0 && n % flashEvery === 0);
  const frames = (count: number): number => Math.round((count / rateOf(rate)) * soundRate);
  const sound = new Float32Array(frames(most));
  if (flashEvery > 0) {
    for (let n = 0; n < most; n += flashEvery) {
      const from = frames(n);
      for (let at = from; at < from + 240 && at < sound.length; at += 1) sound[at] = (at - from) % 48 < 24 ? 0.8 : -0.8;
    }
  }
  const wav = writeWav(`${files[0]?.path}.wav`, [sound], soundRate);
  const filters = (count: number): string[] =>
    [count < most ? `trim=end_frame=${count}` : [], options.filter ?? []].flat();
  const inputs = [
    `-f rawvideo -pix_fmt gray -s ${width}x${height} -r ${rate} -i -`.split(' '),
    options.soundDelay ? ['-itsoffset', String(options.soundDelay)] : [],
    ['-i', wav],
    options.input ?? [],
  ];
  const outputs = files.map(({ path, count }) => [
    '-map 0:v -map 1:a'.split(' '),
    filters(count).length > 0 ? ['-vf', filters(count).join(',')] : [],
    count < most ? ['-af', `atrim=end_sample=${frames(count)}`] : [],
    '-fps_mode passthrough -pix_fmt yuv420p'.split(' '),
    options.codec,
    options.audio ?? '-c:a aac -b:a 64k'.split(' '),
    options.output ?? [],
    path,
  ]);
  ffmpegFrom(raw, ...inputs.flat(), ...outputs.flat(2));
  return files.map(({ path }) => path);
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
  const sink = await openVideoEdit(path, probe(source), sound.format, {
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
    await sink.finish();
    return sink;
  } finally {
    sink.close();
  }
}
