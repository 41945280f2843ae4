import * as Type from 'typebox/type';
import type { Static } from 'typebox/type';
import { EarshotError } from '../../core/errors.ts';
import { defaulted, defineTool, mediaFile, refuseUnsuitable } from '../define.ts';

const targetSummary = {
  podcast: '-16 LUFS',
  streaming: '-14 LUFS',
  broadcast: '-23 LUFS',
  audiobook: 'the ACX audiobook limits',
} as const;

const options = Type.Object(
  {
    target: defaulted(
      Type.Enum(['podcast', 'streaming', 'broadcast', 'audiobook', 'custom'], {
        default: 'podcast',
        description: 'podcast -16 LUFS, streaming -14, broadcast -23, audiobook (ACX checks), custom (custom_lufs)',
      }),
    ),
    custom_lufs: Type.Optional(Type.Number({ minimum: -30, maximum: -5, description: 'Integrated loudness in LUFS; only with target custom' })),
    output_format: defaulted(
      Type.Enum(['same', 'wav', 'mp3', 'm4a', 'flac'], {
        default: 'same',
        description: "same keeps the input's format; a video stays a video",
      }),
    ),
  },
  { additionalProperties: false },
);

/** Parsed: defaults filled in. Apart from the declaration, because run.ts needs the type and the declaration needs run.ts. */
export type AdjustLoudnessOptions = Readonly<Static<typeof options>>;

export const adjustLoudness = defineTool({
  id: 'adjust_loudness',
  slug: 'loudness',
  title: 'Set loudness',
  description: 'Brings a recording to the loudness of a target with one gain and limited true peaks, or makes it pass the ACX audiobook checks.',
  inputs: { file_id: mediaFile() },
  options,
  free: { a: { seconds: 180, dailyUses: 3 }, b: { seconds: 3600, dailyUses: 10 } },
  creditsPerMinute: 1,
  examples: [
    { description: 'Set a podcast episode to -16 LUFS', command: 'loudness episode.wav' },
    { description: 'Set it to -19 LUFS and write an MP3', command: 'loudness episode.wav --target custom --custom-lufs -19 --output-format mp3 -o episode-19.mp3' },
  ],
  check(options) {
    const isCustom = options.target === 'custom';
    if (isCustom && options.custom_lufs === undefined) {
      throw new EarshotError('bad_request', 'Expected number between -30 and -5 for custom_lufs because target is custom, but received nothing', {
        details: { field: 'custom_lufs', expected: 'number between -30 and -5', received: 'nothing' },
      });
    }
    if (!isCustom && options.custom_lufs !== undefined) {
      throw new EarshotError('bad_request', `Expected target custom when custom_lufs is given but received target ${options.target}`, {
        details: { field: 'target', expected: 'custom', received: options.target },
      });
    }
  },
  plan(facts, options) {
    const target = options.target;
    const goal = target === 'custom' ? `${options.custom_lufs} LUFS` : targetSummary[target];
    const [file] = facts['file_id'] ?? [];
    const notes = file?.hasVideo && options.output_format !== 'same' ? [`The picture is dropped: ${options.output_format} holds sound only`] : [];
    return {
      steps: ['Measure loudness and true peak', `Apply one gain to reach ${goal} and limit the peaks`, `Write the sound as ${options.output_format}`],
      notes,
      refusals: refuseUnsuitable(this.inputs, facts),
    };
  },
  run: () => import('./run.ts'),
});
