import { roundedDb } from '../../core/levels.ts';

/**
 * ACX audio submission requirements: RMS between -23 and -18 dB, peaks at most -3 dB, noise floor at most -60 dB RMS.
 */
export const acxLimits = { minRmsDbfs: -23, maxRmsDbfs: -18, maxPeakDbfs: -3, maxNoiseFloorDbfs: -60 } as const;

export interface AcxLevels {
  readonly rmsDbfs: number;
  readonly peakDbfs: number;
  readonly noiseFloorDbfs: number;
}

/** The ACX audiobook checks: one verdict per requirement and one for all. Levels in dBFS; null: digital silence. */
export interface AcxVerdict {
  /** Does the recording meet all three requirements? */
  readonly passes: boolean;
  readonly rms: {
    readonly valueDbfs: number | null;
    readonly minDbfs: number;
    readonly maxDbfs: number;
    /** Is the RMS level between the two? */
    readonly passes: boolean;
  };
  readonly peak: {
    readonly valueDbfs: number | null;
    readonly maxDbfs: number;
    /** Is the sample peak at most that high? */
    readonly passes: boolean;
  };
  readonly noiseFloor: {
    readonly valueDbfs: number | null;
    readonly maxDbfs: number;
    /** Is the noise floor at most that high? */
    readonly passes: boolean;
  };
}

export function checkAcx({ rmsDbfs, peakDbfs, noiseFloorDbfs }: AcxLevels): AcxVerdict {
  const { minRmsDbfs, maxRmsDbfs, maxPeakDbfs, maxNoiseFloorDbfs } = acxLimits;
  const rms = rmsDbfs >= minRmsDbfs && rmsDbfs <= maxRmsDbfs;
  const peak = peakDbfs <= maxPeakDbfs;
  const noiseFloor = noiseFloorDbfs <= maxNoiseFloorDbfs;
  return {
    passes: rms && peak && noiseFloor,
    rms: { valueDbfs: roundedDb(rmsDbfs), minDbfs: minRmsDbfs, maxDbfs: maxRmsDbfs, passes: rms },
    peak: { valueDbfs: roundedDb(peakDbfs), maxDbfs: maxPeakDbfs, passes: peak },
    noiseFloor: { valueDbfs: roundedDb(noiseFloorDbfs), maxDbfs: maxNoiseFloorDbfs, passes: noiseFloor },
  };
}
