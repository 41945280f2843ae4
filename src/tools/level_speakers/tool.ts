import * as Type from 'typebox/type';
import type { Static } from 'typebox/type';
import { checkCustomLufs, customLufs, targetLufsOf } from '../../contract/loudness-target.ts';
import {
  defaulted,
  defineTool,
  type InputFacts,
  mediaFile,
  mediaFiles,
  type Refusal,
  refuseUnsuitable,
} from '../define.ts';

const options = Type.Object(
  {
    target: defaulted(
      Type.Enum(['podcast', 'streaming', 'broadcast', 'custom'], {
        default: 'podcast',
        description: 'podcast -16 LUFS, streaming -14, broadcast -23, custom (custom_lufs)',
      }),
    ),
    custom_lufs: customLufs,
    output_format: defaulted(
      Type.Enum(['same', 'wav', 'mp3', 'm4a', 'flac'], {
        default: 'same',
        description: "same keeps each input's format; a video stays a video",
      }),
    ),
  },
  { additionalProperties: false },
);

/**
 * Parsed: defaults filled in. Apart from the declaration, because run.ts needs the type and the declaration needs
 * run.ts.
 */
export type LevelSpeakersOptions = Readonly<Static<typeof options>>;

/** One recording or two and more tracks: says what is wrong, or null. The input roles alone cannot say it. */
export function refuseInputs(recordings: number, tracks: number): Refusal | null {
  const refusal = (message: string): Refusal => ({ code: 'bad_request', message });
  if (recordings > 0 && tracks > 0)
    return refusal(
      'Expected either file_id (one recording with everyone) or track_file_ids (one speaker each) but received both',
    );
  if (recordings === 0 && tracks === 0)
    return refusal(
      'Expected file_id (one recording with everyone) or track_file_ids (2 to 10 files, one speaker each) but ' +
        'received none',
    );
  if (recordings === 0 && tracks < 2)
    return refusal('Expected 2 to 10 files for track_file_ids but received 1; pass a single recording as file_id');
  return null;
}

const countOf = (facts: Readonly<Record<string, readonly InputFacts[]>>, field: string): number =>
  facts[field]?.length ?? 0;

export const levelSpeakers = defineTool({
  id: 'level_speakers',
  slug: 'level-speakers',
  title: 'Level speakers',
  description:
    'Makes all speakers of a conversation equally loud, in one recording or on tracks of one speaker each, and ' +
    'brings the result to a loudness target.',
  inputs: {
    file_id: mediaFile({ title: 'One recording with everyone', optional: true }),
    track_file_ids: mediaFiles({
      min: 2,
      max: 10,
      title: 'Tracks of one speaker each, all starting at the same time',
      optional: true,
    }),
  },
  options,
  free: { a: { seconds: 180, dailyUses: 3 }, b: { seconds: 180, dailyUses: 3 } },
  creditsPerMinute: 1,
  billing: 'sum',
  openPoints: ['output_format'],
  fieldRules: { exactlyOne: [['file_id', 'track_file_ids']] },
  examples: [{ description: 'Make two voices of an interview equally loud', command: 'level-speakers interview.wav' }],
  check: checkCustomLufs,
  plan(facts, parsed) {
    const [recordings, tracks] = [countOf(facts, 'file_id'), countOf(facts, 'track_file_ids')];
    const refusal = refuseInputs(recordings, tracks);
    const goal = `${targetLufsOf(parsed)} LUFS`;
    const files = [...(facts['file_id'] ?? []), ...(facts['track_file_ids'] ?? [])];
    const dropsPicture = parsed.output_format !== 'same' && files.some((file) => file.hasVideo);
    return {
      steps: [
        'Find speech, pauses and music',
        ...(tracks > 0 ? ['Find who speaks when, and lower each track by 12 dB while only others speak'] : []),
        'Give every stretch of speech the gain that makes it as loud as the rest',
        `Bring ${tracks > 0 ? 'the sum of the tracks' : 'the recording'} to ${goal} and limit true peaks to -1 dBTP`,
        `Write the sound as ${parsed.output_format}`,
      ],
      notes: dropsPicture ? [`The picture is dropped: ${parsed.output_format} holds sound only`] : [],
      refusals: [...(refusal ? [refusal] : []), ...refuseUnsuitable(this.inputs, facts)],
    };
  },
  run: () => import('./run.ts'),
});
