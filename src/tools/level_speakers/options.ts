import * as Type from 'typebox/type';
import { customLufs } from '../../contract/loudness-target.ts';
import type { Refusal } from '../../contract/tool-facts.ts';
import { mediaFile, mediaFiles } from '../declare/inputs.ts';
import { outputFormat, voicesTarget } from '../declare/options.ts';
import type { ContextOf } from '../declare/run.ts';

export const inputs = {
  file_id: mediaFile({ title: 'One recording with everyone', optional: true }),
  track_file_ids: mediaFiles({
    min: 2,
    max: 10,
    title: 'Tracks of one speaker each, all starting at the same time',
    optional: true,
  }),
};

export const options = Type.Object(
  {
    target: voicesTarget,
    custom_lufs: customLufs,
    output_format: outputFormat("same keeps each input's format; a video stays a video"),
  },
  { additionalProperties: false },
);

/** What the work gets. */
export type LevelSpeakersContext = ContextOf<typeof inputs, typeof options>;

/** One recording or two and more tracks: says what is wrong, or null. The input roles alone cannot say it. */
export function refuseInputs(recordings: number, tracks: number): Refusal | null {
  const refusal = (message: string): Refusal => ({ code: 'bad_request', message });
  if (recordings > 0 && tracks > 0)
    return refusal(
      'Expected either file_id (one recording with everyone) or track_file_ids (one speaker each) but received both',
    );
  if (recordings === 0 && tracks === 0)
    return refusal(
      'Expected file_id (one recording with everyone) ' +
        'or track_file_ids (2 to 10 files, one speaker each) but received none',
    );
  if (recordings === 0 && tracks < 2)
    return refusal('Expected 2 to 10 files for track_file_ids but received 1; pass a single recording as file_id');
  return null;
}
