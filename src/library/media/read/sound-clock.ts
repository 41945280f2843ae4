/** Containers with timestamps independent of the samples: a jump in them is a gap in the recording. */
const timestampedDemuxers = /^(mov|matroska|mpegts|mpeg$|asf|flv)/;
/** Shorter jumps are rounding of coarse time bases. */
const smallestGapSeconds = 0.05;
/** A longer jump is a wrong clock, unless the picture continues through it. */
const longestGapSeconds = 60;

/** Frames by which sound may be late without a gap. */
export const longestRounding = (sampleRate: number): number => smallestGapSeconds * sampleRate;

/** Positions sound by its container's clock. Decoding and measuring use the same clock. */
export interface SoundClock {
  /** Do this container's timestamps show gaps in the sound? */
  readonly fillsGaps: boolean;
  /** Sum of the clock jumps that are not gaps, frames. */
  readonly errorFrames: number;
  /** Is a jump of `gap` frames to `at` a pause, not a wrong clock? */
  isGap(gap: number, at: number): boolean;
  /** Silence before sound with timestamp `atFrame` that follows `position` frames, in frames. */
  silenceBefore(atFrame: number, position: number): number;
}

/** @param pictureSeconds length of the file's picture, a second clock; 0 without one */
export function createSoundClock(demuxer: string, sampleRate: number, pictureSeconds: number): SoundClock {
  const pictureEndFrame = Math.ceil((pictureSeconds + 1) * sampleRate);
  let errorFrames = 0;
  const isGap = (gap: number, at: number): boolean => gap <= longestGapSeconds * sampleRate || at <= pictureEndFrame;
  return {
    isGap,
    fillsGaps: timestampedDemuxers.test(demuxer),
    get errorFrames() {
      return errorFrames;
    },
    silenceBefore(atFrame, position) {
      const at = atFrame - errorFrames;
      const gap = at - position;
      if (gap <= longestRounding(sampleRate)) return 0;
      if (isGap(gap, at)) return gap;
      errorFrames += gap;
      return 0;
    },
  };
}
