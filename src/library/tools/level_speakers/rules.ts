import type { Refusal } from '../../contract/tool-facts.ts';

/**
 * Refuses anything but one recording or two and more tracks. The input roles alone cannot express it.
 */
export function refuseInputs(recordings: number, tracks: number): Refusal[] {
  const refusal = (message: string): Refusal[] => [{ code: 'bad_request', message }];
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
  return [];
}
