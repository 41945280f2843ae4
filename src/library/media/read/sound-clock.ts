/** Containers whose timestamps are kept apart from the samples, so that a jump in them is a hole in the recording. */
const timestampedDemuxers = /^(mov|matroska|mpegts|mpeg$|asf|flv)/;
/** Shorter jumps are rounding of coarse time bases. */
const smallestGapSeconds = 0.05;
/** A longer jump is a damaged or lying clock, unless the picture goes on through it. */
const longestGapSeconds = 60;

/**
 * Where sound goes by its container's clock. Whoever decodes a file and whoever only measures it ask the same clock.
 */
export interface SoundClock {
  /** Do this container's timestamps say where sound is missing? */
  readonly fillsGaps: boolean;
  /** What jumps of the clock that are no holes have added to it so far, frames. */
  readonly errorFrames: number;
  /** Frames of silence before sound whose timestamp says `atFrame` and which comes after `position` frames. */
  silenceBefore(atFrame: number, position: number): number;
}

/**
 * @param pictureSeconds how long the file's picture is, which is a clock of its own; 0 without one
 */
export function createSoundClock(demuxer: string, sampleRate: number, pictureSeconds: number): SoundClock {
  const pictureEndFrame = Math.ceil((pictureSeconds + 1) * sampleRate);
  let errorFrames = 0;
  return {
    fillsGaps: timestampedDemuxers.test(demuxer),
    get errorFrames() {
      return errorFrames;
    },
    silenceBefore(atFrame, position) {
      const at = atFrame - errorFrames;
      const gap = at - position;
      if (gap <= smallestGapSeconds * sampleRate) return 0;
      if (gap <= longestGapSeconds * sampleRate || at <= pictureEndFrame) return gap;
      errorFrames += gap;
      return 0;
    },
  };
}
