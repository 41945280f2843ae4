import { EarshotError } from '../../core/errors/errors.ts';
import type { RunResult } from '../declare/run.ts';
import { levelRecording } from './recording.ts';
import type { LevelSpeakersContext } from './options.ts';
import { refuseInputs } from './rules.ts';
import { levelTracks } from './tracks.ts';
import type { LevelSpeakersResult } from './result.ts';

export async function run(context: LevelSpeakersContext): Promise<RunResult<LevelSpeakersResult>> {
  const { file_id: recording, track_file_ids: tracks } = context.inputs;
  const recordings = recording === undefined ? 0 : 1;
  const refusal = refuseInputs(recordings, tracks.length);
  if (refusal)
    throw new EarshotError(refusal.code, refusal.message, {
      details: {
        field: 'file_id',
        expected: 'file_id or track_file_ids',
        received: `${recordings} and ${tracks.length} files`,
      },
    });
  return recording === undefined ? levelTracks(context, tracks) : levelRecording(context, recording);
}
