import * as Type from 'typebox/type';
import { mediaFile, textFile } from '../declare/inputs.ts';
import { defaulted } from '../declare/options.ts';
import type { ContextOf } from '../declare/run.ts';

/** What can be measured. */
export const measureNames = [
  'integratedLufs',
  'dialogueLufs',
  'dialoguePercent',
  'loudnessRangeLu',
  'maxMomentaryLufs',
  'maxShortTermLufs',
  'truePeakDbtp',
  'samplePeakDbfs',
  'rmsDbfs',
  'noiseFloorDbfs',
  'clippedSamples',
  'stereoCorrelation',
  'durationSeconds',
  'leadingSilenceSeconds',
  'trailingSilenceSeconds',
  'longestSilenceSeconds',
  'sampleRate',
  'channels',
  'bitsPerSample',
  'bitRateBps',
  'format',
  'codec',
  'tags',
  'captionLines',
  'captionLineCells',
  'captionCellsPerSecond',
  'captionShortestSeconds',
  'captionLongestSeconds',
  'captionGapSeconds',
  'captionOverlaps',
  'captionsAfterEndSeconds',
] as const;

/** One of them. */
export type MeasureName = (typeof measureNames)[number];

export const inputs = {
  file_id: mediaFile(),
  captions_file_id: textFile({
    title: 'Its captions, SRT or VTT, which are held against the rules for captions',
    extensions: ['srt', 'vtt'],
    optional: true,
  }),
};

export const options = Type.Object(
  {
    policy: defaulted(
      Type.Enum(['podcast', 'acx', 'ebu-r128', 'netflix-dialogue', 'custom'], {
        default: 'podcast',
        description: 'What the recording has to meet; custom: rules',
      }),
    ),
    rules: Type.Optional(
      Type.Array(
        Type.Object(
          {
            measure: Type.Enum([...measureNames], { description: 'What is measured' }),
            min: Type.Optional(Type.Number({ description: 'The least value: LUFS, dB, s, Hz, as the measure has it' })),
            max: Type.Optional(
              Type.Number({ description: 'The greatest value: LUFS, dB, s, Hz, as the measure has it' }),
            ),
            one_of: Type.Optional(
              Type.Array(Type.String({ maxLength: 40 }), { minItems: 1, maxItems: 40, description: 'One of' }),
            ),
            has: Type.Optional(
              Type.Array(Type.String({ maxLength: 40 }), { minItems: 1, maxItems: 40, description: 'All of' }),
            ),
          },
          { additionalProperties: false },
        ),
        { minItems: 1, maxItems: 60, description: 'With policy custom' },
      ),
    ),
  },
  { additionalProperties: false },
);

/** The context of `run`. */
export type CheckAudioContext = ContextOf<typeof inputs, typeof options>;
