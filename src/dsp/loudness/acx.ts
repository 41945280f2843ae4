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

/** One verdict per requirement and one for all. Levels as JSON carries them: null is digital silence. */
export type AcxVerdict = {
  passes: boolean;
  rms: { valueDbfs: number | null; minDbfs: number; maxDbfs: number; passes: boolean };
  peak: { valueDbfs: number | null; maxDbfs: number; passes: boolean };
  noiseFloor: { valueDbfs: number | null; maxDbfs: number; passes: boolean };
};

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
