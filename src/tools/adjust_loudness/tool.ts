import * as Type from 'typebox/type';
import type { Static } from 'typebox/type';
import { checkCustomLufs, customLufs, targetLufsOf } from '../../contract/loudness-target.ts';
import { defaulted, defineTool, mediaFile, refuseUnsuitable } from '../define.ts';

const options = Type.Object(
  {
    target: defaulted(
      Type.Enum(['podcast', 'streaming', 'broadcast', 'audiobook', 'custom'], {
        default: 'podcast',
        description: 'podcast -16 LUFS, streaming -14, broadcast -23, audiobook (ACX checks), custom (custom_lufs)',
      }),
    ),
    custom_lufs: customLufs,
    output_format: defaulted(
      Type.Enum(['same', 'wav', 'mp3', 'm4a', 'flac'], {
        default: 'same',
        description: "same keeps the input's format; a video stays a video",
      }),
    ),
  },
  { additionalProperties: false },
);

/**
 * Parsed: defaults filled in. Apart from the declaration, because run.ts needs the type and the declaration needs
 * run.ts.
 */
export type AdjustLoudnessOptions = Readonly<Static<typeof options>>;

export const adjustLoudness = defineTool({
  id: 'adjust_loudness',
  slug: 'loudness',
  title: 'Set loudness',
  description:
    'Brings a recording to the loudness of a target with one gain and limited true peaks, or makes it pass the ACX ' +
    'audiobook checks.',
  inputs: { file_id: mediaFile() },
  options,
  free: { a: { seconds: 180, dailyUses: 3 }, b: { seconds: 3600, dailyUses: 10 } },
  creditsPerMinute: 1,
  examples: [
    { description: 'Set a podcast episode to -16 LUFS', command: 'loudness episode.wav' },
    {
      description: 'Set it to -19 LUFS and write an MP3',
      command: 'loudness episode.wav --target custom --custom-lufs -19 --output-format mp3 -o episode-19.mp3',
    },
  ],
  check: checkCustomLufs,
  plan(facts, options) {
    const { target } = options;
    const goal = target === 'audiobook' ? 'the ACX audiobook limits' : `${targetLufsOf({ ...options, target })} LUFS`;
    const [file] = facts['file_id'] ?? [];
    const notes =
      file?.hasVideo && options.output_format !== 'same'
        ? [`The picture is dropped: ${options.output_format} holds sound only`]
        : [];
    return {
      steps: [
        'Measure loudness and true peak',
        `Apply one gain to reach ${goal} and limit the peaks`,
        `Write the sound as ${options.output_format}`,
      ],
      notes,
      refusals: refuseUnsuitable(this.inputs, facts),
    };
  },
  run: () => import('./run.ts'),
});
