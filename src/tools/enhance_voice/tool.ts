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
        description: 'Share of the regenerated voice in percent; lower mixes back the original sound',
      }),
    ),
    auto_volume: defaulted(
      Type.Boolean({
        default: true,
        description:
          'Bring the whole file to -16 LUFS with one gain, peaks limited to -1 dBTP; speakers are not balanced',
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

/** Parsed: defaults filled in. */
export type EnhanceVoiceOptions = Readonly<Static<typeof options>>;

export const enhanceVoice = defineTool({
  id: 'enhance_voice',
  slug: 'enhance-voice',
  title: 'Enhance voice',
  description:
    'Makes a voice from a poor recording sound closer and clearer: takes noise and reverberation away, restores ' +
    'missing highs, and evens out tone, hisses and level. Recordings at 8 or 16 kHz whose highs were restored come ' +
    'out at 48 kHz.',
  inputs: { file_id: mediaFile() },
  options,
  free: { a: { seconds: 60, dailyUses: 3 }, b: { seconds: 60, dailyUses: 3 } },
  creditsPerMinute: 2,
  examples: [
    { description: 'Regenerate the voice of a call', command: 'enhance-voice call.wav' },
    {
      description: 'Keep a third of the original sound and its level',
      command: 'enhance-voice lecture.mp4 --noise-reduction 66 --no-auto-volume',
    },
  ],
  plan(facts, { noise_reduction, auto_volume, output_format }) {
    const [file] = facts['file_id'] ?? [];
    return {
      steps: [
        'Find out how the channels belong together, how reverberant and how dull the voice is',
        `Regenerate the voice${noise_reduction === 100 ? '' : ` and mix back ${100 - noise_reduction} % of the original`}`,
        ...(auto_volume ? ['Bring the whole file to -16 LUFS and limit true peaks to -1 dBTP'] : []),
        `Write the sound as ${output_format}`,
      ],
      notes:
        file?.hasVideo && output_format !== 'same' ? [`The picture is dropped: ${output_format} holds sound only`] : [],
      refusals: refuseUnsuitable(this.inputs, facts),
    };
  },
  run: () => import('./run.ts'),
});
