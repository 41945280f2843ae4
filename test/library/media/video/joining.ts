// Joins videos by our own decoder and `openVideoJoin`, the sounds simply added where they overlap.
import { setImmediate as turn } from 'node:timers/promises';
import {
  openVideoJoin,
  type VideoJoin,
  type VideoJoinOptions,
} from '../../../../src/library/media/video/video-join.ts';
import { ffmpeg, readAll } from '../../../fixtures/media/media.ts';
import type { Seen } from './watch.ts';
import { probe } from '../../../../src/library/media/read/probe.ts';

const rate = 48_000;

export interface Joined {
  readonly sink: VideoJoin;
  /** Output times of the files' first samples. */
  readonly starts: readonly number[];
  /** Output times at which pictures change from file to file, and the end of the sound. */
  readonly cuts: readonly number[];
}

export async function join(
  files: readonly string[],
  path: string,
  overlapSeconds = 0,
  options: VideoJoinOptions = {},
): Promise<Joined> {
  const sounds = files.map((file) => readAll(file, { rate, channels: 1 }).planes[0] as Float32Array);
  const overlap = Math.round(overlapSeconds * rate);
  const starts = sounds.map((_, at) => sounds.slice(0, at).reduce((sum, one) => sum + one.length - overlap, 0));
  const total = (starts.at(-1) as number) + (sounds.at(-1) as Float32Array).length;
  const all = new Float32Array(total);
  for (const [at, sound] of sounds.entries()) {
    const from = starts[at] as number;
    for (let n = 0; n < sound.length; n += 1) all[from + n] = (all[from + n] as number) + (sound[n] as number);
  }
  const cuts = starts.map((start, at) => (at === 0 ? 0 : start + overlap / 2));
  const sink = await openVideoJoin(
    path,
    files.map((file, at) => ({
      facts: probe(file),
      startSeconds: (starts[at] as number) / rate,
      pictureSeconds: (cuts[at] as number) / rate,
    })),
    { sampleRate: rate, channels: 1, layout: 'mono' },
    options,
  );
  try {
    for (let from = 0; from < total; from += rate) {
      const frames = Math.min(rate, total - from);
      sink.write({ planes: [all.subarray(from, from + frames)], frames });
      await turn();
    }
    await sink.finish();
    return { sink, starts: starts.map((frame) => frame / rate), cuts: [...cuts, total].map((frame) => frame / rate) };
  } finally {
    sink.close();
  }
}

/**
 * The files' pictures that lie between the cuts, at the times that they must have; those a little outside are pressed
 * inside.
 */
export function expectedJoin(
  sources: readonly (readonly Seen[])[],
  { starts, cuts }: Joined,
): { number: number; seconds: number }[] {
  return sources.flatMap((source, at) => {
    const from = (cuts[at] as number) - (starts[at] as number);
    const to = at === sources.length - 1 ? Number.POSITIVE_INFINITY : (cuts[at + 1] as number) - (starts[at] as number);
    const head = (source[0] as Seen).seconds >= from - 0.1 ? 0.1 : 1e-6;
    const tail = (source.at(-1) as Seen).seconds < to + 0.1 ? 0.1 : -1e-6;
    return source
      .filter((one) => at === 0 || one.seconds >= from - head)
      .filter((one) => one.seconds < to + tail)
      .map((one) => ({
        number: one.number,
        seconds: (starts[at] as number) + Math.min(to, at === 0 ? one.seconds : Math.max(from, one.seconds)),
      }));
  });
}

/** Where the sound begins to be loud, seconds, at most ten times a second. */
export function clicksIn(path: string): number[] {
  const sound = readAll(path, { channels: 1 });
  const plane = sound.planes[0] as Float32Array;
  const clicks: number[] = [];
  for (let n = 0; n < plane.length; n += 1) {
    const seconds = n / sound.format.sampleRate;
    if (Math.abs(plane[n] as number) > 0.3 && seconds - (clicks.at(-1) ?? -1) > 0.1) clicks.push(seconds);
  }
  return clicks;
}

/** MD5 of each picture packet's bytes of each file, without what demuxers hang beside it. */
export function payloadHashes(...paths: readonly string[]): string[][] {
  const lines = ffmpeg(
    ...paths.flatMap((path) => ['-i', path]),
    ...paths.flatMap((_, n) => ['-map', `${n}:v:0`]),
    '-c',
    'copy',
    '-f',
    'framemd5',
    '-',
  )
    .toString()
    .split('\n')
    .filter((line) => /^\d/.test(line))
    .map((line) => line.split(',').map((field) => field.trim()));
  return paths.map((_, n) => lines.filter(([stream]) => stream === String(n)).map((fields) => fields[5] ?? ''));
}
