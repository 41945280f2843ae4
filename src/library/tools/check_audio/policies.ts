// Rules by which recordings are delivered. Each limit has its source.
import { acxLimits } from '../../dsp/loudness/acx.ts';
import { oppositeCorrelation } from '../../pcm/opposite-channels.ts';
import {
  captionLimits,
  type CaptionProfile,
  gapSeconds,
  linesPerCaption,
  longestSeconds,
  shortestSeconds,
} from '../../speech/transcript/write/limits.ts';
import type { Rule } from './rules.ts';

/** Times in caption files are whole milliseconds. */
const aMillisecond = 0.001;

/** Of captions, where they are given: what `earshot captions` writes. */
const captionRules = (profile: CaptionProfile): Rule[] => {
  const { lineCells, cellsPerSecond } = captionLimits('en', profile);
  return [
    { measure: 'captionLines', max: linesPerCaption },
    { measure: 'captionLineCells', max: lineCells },
    { measure: 'captionCellsPerSecond', max: cellsPerSecond },
    { measure: 'captionShortestSeconds', min: shortestSeconds - aMillisecond },
    { measure: 'captionLongestSeconds', max: longestSeconds + aMillisecond },
    { measure: 'captionGapSeconds', min: gapSeconds - aMillisecond },
    { measure: 'captionOverlaps', max: 0 },
    { measure: 'captionsAfterEndSeconds', max: 0 },
  ];
};

export const policies = {
  // Apple Podcasts' requirements: -16 LUFS, 1 LU either way, true peaks at most -1 dBFS. In mono nothing may cancel.
  podcast: [
    { measure: 'integratedLufs', min: -17, max: -15 },
    { measure: 'truePeakDbtp', max: -1 },
    { measure: 'clippedSamples', max: 0 },
    { measure: 'stereoCorrelation', min: oppositeCorrelation },
    { measure: 'sampleRate', one_of: ['44100', '48000'] },
    { measure: 'channels', max: 2 },
    ...captionRules('standard'),
  ],
  // ACX's audio submission requirements, each file of an audiobook.
  acx: [
    { measure: 'rmsDbfs', min: acxLimits.minRmsDbfs, max: acxLimits.maxRmsDbfs },
    { measure: 'samplePeakDbfs', max: acxLimits.maxPeakDbfs },
    { measure: 'noiseFloorDbfs', max: acxLimits.maxNoiseFloorDbfs },
    { measure: 'leadingSilenceSeconds', min: 0.5, max: 1 },
    { measure: 'trailingSilenceSeconds', min: 1, max: 5 },
    { measure: 'durationSeconds', max: 7200 },
    { measure: 'codec', one_of: ['mp3'] },
    { measure: 'bitRateBps', min: 192_000 },
    { measure: 'sampleRate', one_of: ['44100'] },
    { measure: 'channels', max: 2 },
  ],
  // EBU R 128: -23 LUFS, true peaks at most -1 dBTP. 0.5 LU either way is what version 3 allows a recorded programme;
  // version 4 gives live production 1 LU.
  'ebu-r128': [
    { measure: 'integratedLufs', min: -23.5, max: -22.5 },
    { measure: 'truePeakDbtp', max: -1 },
    { measure: 'sampleRate', one_of: ['48000'] },
    ...captionRules('broadcast'),
  ],
  // Netflix' sound mix specifications: dialogue at -27 LKFS, 2 LU either way, true peaks at most -2 dBTP, 48 kHz.
  'netflix-dialogue': [
    { measure: 'dialogueLufs', min: -29, max: -25 },
    { measure: 'truePeakDbtp', max: -2 },
    { measure: 'sampleRate', one_of: ['48000'] },
    ...captionRules('standard'),
  ],
} as const satisfies Readonly<Record<string, readonly Rule[]>>;

/** The rules of a policy; those of `custom` are given. */
export const rulesOf = (policy: keyof typeof policies | 'custom', given: readonly Rule[]): readonly Rule[] =>
  policy === 'custom' ? given : policies[policy];
