import * as Type from 'typebox/type';
import type { Static } from 'typebox/type';
import { defaulted, defineTool, mediaFile, refuseUnsuitable } from '../define.ts';

const options = Type.Object(
  {
    noise_reduction: defaulted(
      Type.Integer({
        minimum: 10,
        maximum: 100,
        default: 100,
        description:
          'Percent of the noise that is turned down: 100 removes what can be removed, 50 halves it (-6 dB), 90 ' +
          'leaves a tenth (-20 dB)',
      }),
    ),
    auto_volume: defaulted(
      Type.Boolean({
        default: true,
        description: 'Bring the whole file to -16 LUFS with one gain, peaks limited to -1 dBTP',
      }),
    ),
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
export type RemoveNoiseOptions = Readonly<Static<typeof options>>;

export const removeNoise = defineTool({
  id: 'remove_noise',
  slug: 'remove-noise',
  title: 'Remove noise',
  description:
    'Takes background noise and rumble away from speech and keeps the voice, its place in the stereo image and ' +
    'its timing.',
  inputs: { file_id: mediaFile() },
  options,
  free: { a: { seconds: 60, dailyUses: 3 }, b: { seconds: 60, dailyUses: 3 } },
  creditsPerMinute: 1,
  examples: [
    { description: 'Clean up an interview and set its loudness', command: 'remove-noise interview.wav' },
    {
      description: 'Turn the noise down by half and leave the level alone',
      command: 'remove-noise interview.wav --noise-reduction 50 --no-auto-volume',
    },
  ],
  plan(facts, options) {
    const [file] = facts['file_id'] ?? [];
    const notes =
      file?.hasVideo && options.output_format !== 'same'
        ? [`The picture is dropped: ${options.output_format} holds sound only`]
        : [];
    return {
      steps: [
        'Find out how the channels belong together',
        `Turn the noise down by ${options.noise_reduction} percent`,
        ...(options.auto_volume ? ['Apply one gain to reach -16 LUFS and limit the peaks to -1 dBTP'] : []),
        `Write the sound as ${options.output_format}`,
      ],
      notes,
      refusals: refuseUnsuitable(this.inputs, facts),
    };
  },
  run: () => import('./run.ts'),
});
