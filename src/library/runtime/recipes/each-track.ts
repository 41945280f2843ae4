import { basename } from 'node:path';
import { isAbortError } from '../../core/abort.ts';
import { EarshotError } from '../../core/errors/errors.ts';

/**
 * Works on all tracks at a time. When one fails the others are stopped, and have ended before this throws.
 * @param named the tracks that errors name
 */
export async function forEachTrack<Track extends { readonly path: string }, Result>(
  tracks: readonly Track[],
  work: (track: Track, at: number) => Promise<Result>,
  stop: AbortController,
  named: readonly { readonly path: string }[] = tracks,
): Promise<Result[]> {
  const failures: unknown[] = [];
  const works = tracks.map((track, at) =>
    work(track, at).catch((thrown: unknown) => {
      failures.push(isAbortError(thrown) ? thrown : ofTrack((named[at] ?? track).path, thrown));
      stop.abort();
      throw thrown;
    }),
  );
  await Promise.allSettled(works);
  if (failures.length > 0) throw failures[0];
  return Promise.all(works);
}

function ofTrack(path: string, thrown: unknown): EarshotError {
  const { code, message, nextAction, details } = EarshotError.from(thrown);
  return new EarshotError(code, `${basename(path)}: ${message}`, {
    nextAction,
    ...(details === undefined ? {} : { details }),
    cause: thrown,
  });
}
