import * as Type from 'typebox/type';
import type { Static } from 'typebox/type';
import { EarshotError } from '../../core/errors.ts';
import { defaulted, defineTool, mediaFile, refuseUnsuitable } from '../define.ts';

const losslessFormats: readonly string[] = ['wav', 'flac'];

const options = Type.Object(
  {
    format: defaulted(
      Type.Enum(['mp3', 'wav', 'm4a', 'flac', 'ogg', 'opus'], { default: 'mp3', description: 'Format of the output' }),
    ),
    bitrate_kbps: Type.Optional(
      Type.Integer({
        minimum: 16,
        maximum: 320,
        description: 'For mp3, m4a, ogg and opus, in kbit/s; default chosen by the format',
      }),
    ),
    sample_rate: Type.Optional(
      Type.Enum([8000, 16000, 22050, 24000, 32000, 44100, 48000], { description: "In Hz; default the input's" }),
    ),
    channels: Type.Optional(Type.Enum(['mono', 'stereo'], { description: "Default the input's" })),
  },
  { additionalProperties: false },
);

/**
 * Parsed: defaults filled in. Apart from the declaration, because run.ts needs the type and the declaration needs
 * run.ts.
 */
export type ConvertAudioOptions = Readonly<Static<typeof options>>;

export const convertAudio = defineTool({
  id: 'convert_audio',
  slug: 'convert',
  title: 'Convert',
  description: 'Converts the sound of an audio or video file to MP3, WAV, M4A, FLAC, OGG or Opus.',
  inputs: { file_id: mediaFile() },
  options,
  free: { a: { seconds: 180, dailyUses: 3 }, b: { seconds: 3600, dailyUses: 10 } },
  creditsPerMinute: 1,
  examples: [
    { description: 'Convert to MP3', command: 'convert interview.wav' },
    {
      description: 'Convert to mono Opus at 48 kbit/s',
      command: 'convert interview.wav --format opus --bitrate-kbps 48 --channels mono -o interview.opus',
    },
    {
      description: 'Convert a folder of recordings, two at a time',
      command: 'convert recordings/*.wav --format flac --jobs 2 -o converted/',
    },
  ],
  check(options) {
    if (options.bitrate_kbps !== undefined && losslessFormats.includes(options.format)) {
      throw new EarshotError(
        'bad_request',
        `Expected bitrate_kbps only for mp3, m4a, ogg or opus but received it for ${options.format}, which has no ` +
          'bitrate to choose',
        {
          details: { field: 'bitrate_kbps', expected: 'nothing', received: String(options.bitrate_kbps) },
        },
      );
    }
  },
  plan(facts, options) {
    const [file] = facts['file_id'] ?? [];
    const notes = file?.hasVideo ? [`The picture is dropped: ${options.format} holds sound only`] : [];
    const shape = [options.sample_rate === undefined ? '' : `${options.sample_rate} Hz`, options.channels ?? ''].filter(
      (part) => part !== '',
    );
    return {
      steps: [...(shape.length === 0 ? [] : [`Convert to ${shape.join(', ')}`]), `Encode as ${options.format}`],
      notes,
      refusals: refuseUnsuitable(this.inputs, facts),
    };
  },
  run: () => import('./run.ts'),
});
