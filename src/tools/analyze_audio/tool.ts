import * as Type from 'typebox/type';
import type { Static } from 'typebox/type';
import { defaulted, defineTool, mediaFile, refuseUnsuitable } from '../define.ts';

const options = Type.Object(
  {
    detail: defaulted(
      Type.Enum(['concise', 'full'], {
        default: 'concise',
        description: 'concise lists up to 50 silent stretches, full lists all',
      }),
    ),
  },
  { additionalProperties: false },
);

/**
 * Parsed: defaults filled in. Apart from the declaration, because run.ts needs the type and the declaration needs
 * run.ts.
 */
export type AnalyzeAudioOptions = Readonly<Static<typeof options>>;

export const analyzeAudio = defineTool({
  id: 'analyze_audio',
  slug: 'media-info',
  title: 'Media info',
  description:
    'Measures a recording: format, loudness (EBU R 128), true peak, noise floor, silent stretches and the ACX ' +
    'audiobook checks.',
  inputs: { file_id: mediaFile() },
  options,
  free: { a: { seconds: null, dailyUses: 20 }, b: { seconds: null, dailyUses: 20 } },
  creditsPerMinute: 1,
  jobFields: false,
  examples: [
    { description: 'Read the report of one recording', command: 'media-info interview.wav' },
    { description: 'Get every silent stretch as JSON', command: 'media-info interview.wav --detail full --json' },
  ],
  plan(facts, options) {
    const stretches = options.detail === 'full' ? 'all silent stretches' : 'up to 50 silent stretches';
    return {
      steps: ['Decode the sound and measure loudness, peaks and noise floor', `List ${stretches}`],
      notes: [],
      refusals: refuseUnsuitable(this.inputs, facts),
    };
  },
  run: () => import('./run.ts'),
});
