import { EarshotError } from '../../core/errors.ts';
import type { RunContext, RunResult } from '../define.ts';
import { levelRecording } from './recording.ts';
import { type LevelSpeakersOptions, refuseInputs } from './tool.ts';
import { levelTracks } from './tracks.ts';

export async function run(context: RunContext<LevelSpeakersOptions>): Promise<RunResult> {
  const recordings = context.inputs['file_id'] ?? [];
  const tracks = context.inputs['track_file_ids'] ?? [];
  const refusal = refuseInputs(recordings.length, tracks.length);
  if (refusal)
    throw new EarshotError(refusal.code, refusal.message, {
      details: {
        field: 'file_id',
        expected: 'file_id or track_file_ids',
        received: `${recordings.length} and ${tracks.length} files`,
      },
    });
  return recordings[0] === undefined ? levelTracks(context, tracks) : levelRecording(context, recordings[0]);
}
