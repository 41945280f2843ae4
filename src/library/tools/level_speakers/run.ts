import type { RunResult } from '../declare/run.ts';
import { levelRecording } from './recording.ts';
import type { LevelSpeakersContext } from './options.ts';
import { levelTracks } from './tracks.ts';
import type { LevelSpeakersResult } from './result.ts';

export async function run(context: LevelSpeakersContext): Promise<RunResult<LevelSpeakersResult>> {
  const { file_id: recording, track_file_ids: tracks } = context.inputs;
  return recording === undefined ? levelTracks(context, tracks) : levelRecording(context, recording);
}
