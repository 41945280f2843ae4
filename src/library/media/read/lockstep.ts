import { soundFormat } from './probe.ts';
import type { Warning } from '../../core/progress/progress.ts';
import { usualLayout } from '../../core/channels.ts';
import type { AudioFormat } from '../../pcm/block.ts';
import { type AudioSource, openAudio } from './decode.ts';
import type { MediaFacts } from '../facts.ts';

/** One track's part of a common block: planes of the block's length, silence after the track's end. */
export interface LockstepTrack {
  readonly planes: readonly Float32Array[];
  /** How many of the block's frames belong to the track. */
  readonly ownFrames: number;
}

export interface LockstepBlock {
  readonly frames: number;
  readonly tracks: readonly LockstepTrack[];
}

/** Several files read on one timeline, in one format. */
export interface Lockstep {
  readonly format: AudioFormat;
  /** Of the longest track. */
  readonly expectedFrames: number | null;
  /** Grows while reading. */
  readonly warnings: readonly Warning[];
  /** About one second; the planes belong to the caller until the next call. null when the longest track has ended. */
  next(): LockstepBlock | null;
  close(): void;
}

/** The rate of most of the sound, the highest of equals: one effect of 96 kHz does not double a talk of 48 kHz. */
function rateOfMost(files: readonly MediaFacts[], formats: readonly { readonly sampleRate: number }[]): number {
  const seconds = new Map<number, number>();
  for (const [index, { sampleRate }] of formats.entries())
    seconds.set(sampleRate, (seconds.get(sampleRate) ?? 0) + (files[index]?.durationSeconds ?? 0));
  return [...seconds].reduce((best, each) =>
    each[1] > best[1] || (each[1] === best[1] && each[0] > best[0]) ? each : best,
  )[0];
}

/** The rate of most of the sound; stereo as soon as one track has two or more channels. */
export function commonFormatOf(files: readonly MediaFacts[]): AudioFormat {
  const formats = files.map(soundFormat);
  const channels = formats.some((format) => format.channels > 1) ? 2 : 1;
  return {
    sampleRate: rateOfMost(files, formats),
    channels,
    layout: usualLayout(channels),
  };
}

/**
 * Opens files to be read together, all starting at zero, each converted to the common format (resampled with zero
 * delay; mono goes to both sides at unity, surround down to stereo by BS.775-3). Memory: about two seconds of every
 * track, for any length.
 * @throws EarshotError as `openAudio`
 */
export function openLockstep(
  files: readonly MediaFacts[],
  wanted?: { readonly sampleRate: number; readonly channels: number },
): Lockstep {
  const sources: AudioSource[] = [];
  try {
    const format = wanted ? { ...wanted, layout: usualLayout(wanted.channels) } : commonFormatOf(files);
    for (const file of files) sources.push(openAudio(file, { rate: format.sampleRate, channels: format.channels }));
    return createLockstep(sources, format);
  } catch (error) {
    for (const source of sources) source.close();
    throw error;
  }
}

function createLockstep(sources: readonly AudioSource[], format: AudioFormat): Lockstep {
  const size = format.sampleRate;
  const tracks = sources.map((source) => ({
    source,
    planes: Array.from({ length: format.channels }, () => new Float32Array(size)),
    /** The decoder's current block, and how much of it is copied. */
    block: source.next(),
    used: 0,
  }));
  const expected = sources.map((source) => source.expectedFrames);
  return {
    format,
    expectedFrames: expected.every((frames) => frames !== null) ? Math.max(...expected) : null,
    get warnings() {
      return sources.flatMap((source) => source.warnings);
    },
    next() {
      const filled = tracks.map((track) => {
        let done = 0;
        while (track.block && done < size) {
          const take = Math.min(size - done, track.block.frames - track.used);
          for (const [channel, plane] of track.planes.entries())
            plane.set((track.block.planes[channel] as Float32Array).subarray(track.used, track.used + take), done);
          done += take;
          track.used += take;
          if (track.used < track.block.frames) continue;
          track.block = track.source.next();
          track.used = 0;
        }
        for (const plane of track.planes) plane.fill(0, done);
        return done;
      });
      const frames = Math.max(...filled);
      if (frames === 0) return null;
      return {
        frames,
        tracks: tracks.map(({ planes }, index) => ({
          planes: frames === size ? planes : planes.map((plane) => plane.subarray(0, frames)),
          ownFrames: filled[index] as number,
        })),
      };
    },
    close() {
      for (const source of sources) source.close();
    },
  };
}
