import { basename } from 'node:path';
import { EarshotError } from '../../core/errors/errors.ts';
import type { Engine, RunOptions } from '../engine/engine-types.ts';

/** A track of an episode. */
interface Recorded {
  readonly path: string;
  /** Music and effects are no recordings of the conversation. Default: voice. */
  readonly role?: string;
}

/**
 * The tracks with what was recorded on one time line.
 * @throws EarshotError bad_request where one has nothing in common with the others
 */
export async function lineUp<Track extends Recorded>(
  engine: Engine,
  tracks: readonly Track[],
  control: RunOptions,
): Promise<Track[]> {
  const recorded = tracks.filter(({ role = 'voice' }) => role === 'voice');
  if (recorded.length < 2 || recorded.length > 10)
    throw new EarshotError('bad_request', `Expected 2 to 10 recordings to line up but received ${recorded.length}`);
  const files = recorded.map(({ path }) => path);
  const { result, outputs } = await engine.run('align_recordings', files, {}, control);
  const lost = recorded.filter((_, at) => result.recordings[at]?.pieces.length === 0);
  if (lost.length > 0)
    throw new EarshotError(
      'bad_request',
      `Expected recordings that hear each other but found nothing of the others in ${lost.map(({ path }) => basename(path)).join(', ')}`,
      { nextAction: 'Give music as music, add a recording of the call or of the room, or line it up by hand.' },
    );
  const linedUp = new Map(recorded.map((track, at) => [track, outputs[at]?.path ?? track.path]));
  return tracks.map((track) => ({ ...track, path: linedUp.get(track) ?? track.path }));
}
