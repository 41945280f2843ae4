import { avGetCodecName, type Stream } from 'node-av/lib';
import type { Warning } from '../../core/progress/progress.ts';
import { noTimestamp } from '../ffmpeg/ticks.ts';

/** Containers with timestamps independent of the samples: a jump in them is a gap in the recording. */
const timestampedDemuxers = /^(mov|matroska|mpegts|mpeg$|asf|flv)/;
/** These count samples: a jump in them is a hole in the file. */
const countedDemuxers = /^(flac|ogg)$/;
/**
 * Times in these are those of the packets that a search finds. Raw AC-3, programme streams and MXF that was cut off
 * only count about; others are not known to do better.
 */
const exactDemuxers = /^(mov|flac|ogg|mp3|aac|mpegts|tta|wv)/;
/** Packed samples (ADPCM) have times that go by bytes a second. */
const exactWithPcm = /^(wav|w64|aiff|caf|au|avi|nistsphere)/;
/** Shorter jumps are rounding of coarse time bases. */
const smallestGapSeconds = 0.05;
/** Shorter jumps are a codec's delay. */
const smallestHoleSeconds = 0.015;
/** Behind packets that could not be decoded, any difference is what they held. */
const smallestLossSeconds = 0.001;
/** A longer jump is a wrong clock, unless the picture continues through it. */
const longestGapSeconds = 60;
/** So many places are named. */
const mostNamed = 5;

/** Frames by which sound may be late without a gap. */
export const longestRounding = (demuxer: string, sampleRate: number): number =>
  (countedDemuxers.test(demuxer) ? smallestHoleSeconds : smallestGapSeconds) * sampleRate;

/** Positions sound by its container's clock. Decoding and measuring use the same clock. */
export interface SoundClock {
  /** Do this container's timestamps show gaps in the sound? */
  readonly fillsGaps: boolean;
  /** Is the file's zero where its sound begins, whatever time that has? */
  readonly beginsWithSound: boolean;
  /** Sum of the clock jumps that are not gaps, frames. */
  readonly errorFrames: number;
  /** Is a jump of `gap` frames to `at` a pause, not a wrong clock? */
  isGap(gap: number, at: number): boolean;
  /**
   * Silence before sound with timestamp `atFrame` that follows `position` frames, in frames.
   * @param afterLoss were packets before it damaged?
   */
  silenceBefore(atFrame: number, position: number, afterLoss?: boolean): number;
  /** Something is missing behind `position`, and how much cannot be known. */
  noteUnknown(position: number): void;
  /** What was found so far. */
  readonly warnings: readonly Warning[];
}

/** @param pictureSeconds length of the file's picture, a second clock; 0 without one */
export function createSoundClock(demuxer: string, sampleRate: number, pictureSeconds: number): SoundClock {
  const pictureEndFrame = Math.ceil((pictureSeconds + 1) * sampleRate);
  const isCounted = countedDemuxers.test(demuxer);
  const isTimestamped = timestampedDemuxers.test(demuxer);
  const rounding = longestRounding(demuxer, sampleRate);
  const named: string[] = [];
  let [errorFrames, gaps, filledFrames, unknown] = [0, 0, 0, 0];
  const seconds = (frames: number): string => (frames / sampleRate).toFixed(2);
  const isGap = (gap: number, at: number): boolean => gap <= longestGapSeconds * sampleRate || at <= pictureEndFrame;
  /** All holes together are as long as what is there, or a minute: a small file is no hours of silence. */
  const isHole = (gap: number, position: number): boolean =>
    !isCounted || filledFrames + gap <= Math.max(longestGapSeconds * sampleRate, position - filledFrames);
  const note = (position: number, length: string): void => {
    gaps += 1;
    if (named.length < mostNamed) named.push(`at ${seconds(position)} s (${length})`);
  };
  return {
    isGap,
    fillsGaps: isCounted || isTimestamped,
    beginsWithSound: !isTimestamped,
    get errorFrames() {
      return errorFrames;
    },
    silenceBefore(atFrame, position, afterLoss = false) {
      const at = atFrame - errorFrames;
      const gap = at - position;
      if (gap <= (afterLoss ? smallestLossSeconds * sampleRate : rounding)) return 0;
      if (isGap(gap, at) && isHole(gap, position)) {
        const isLead = position === filledFrames;
        filledFrames += gap;
        if (isLead && !afterLoss) return gap;
        note(position, `${seconds(gap)} s`);
        return gap;
      }
      errorFrames += gap;
      return 0;
    },
    noteUnknown(position) {
      unknown += 1;
      note(position, 'nothing in the file says how much');
    },
    get warnings() {
      const warnings: Warning[] = [];
      const all = gaps === 1 ? '' : ` in ${gaps} places, ${seconds(filledFrames)} s in all:`;
      const more = gaps > named.length ? ` and ${gaps - named.length} more` : '';
      if (gaps > 0)
        warnings.push({
          code: 'sound_missing',
          message:
            `Sound is missing${all} ${named.join(', ')}${more}; ` +
            (unknown > 0 ? 'what follows comes too early' : 'silence is in its place'),
        });
      if (errorFrames > 0)
        warnings.push({
          code: 'clock_jump',
          message:
            `The file's clock jumps ahead by ${(errorFrames / sampleRate).toFixed(0)} s for no reason: more than a ` +
            `minute${isCounted ? ', or than the sound that is there' : ' without a picture'}. The sound was read on ` +
            'without a gap',
        });
      return warnings;
    },
  };
}

/** Does a search for a time find exactly the samples that it means? Elsewhere a file is read from its start. */
export function seeksExactly(demuxer: string, { codecpar, timeBase, startTime }: Stream): boolean {
  // Matroska and ASF count milliseconds: positions by such a clock are off by dozens of samples.
  if ((timeBase.num / timeBase.den) * codecpar.sampleRate > 1.001) return false;
  // With bytes before it that are no FLAC, FFmpeg takes others for the first frame.
  if (demuxer === 'flac' && startTime !== noTimestamp && startTime < 0n) return false;
  const codec = avGetCodecName(codecpar.codecId) ?? '';
  // FFmpeg knows the place of FLAC in Ogg only from the second page on.
  if (demuxer === 'ogg' && codec === 'flac') return false;
  return exactDemuxers.test(demuxer) || (codec.startsWith('pcm_') && exactWithPcm.test(demuxer));
}
