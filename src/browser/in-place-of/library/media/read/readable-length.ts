// In place of media/read/readable-length.ts: what can be read of a file is known once it has been looked at.
import type { ReadableLength } from '../../../../../library/media/read/readable-length.ts';
import { lookedAt } from '../../../../media/looked-at.ts';
import { waveFacts } from '../../../../media/wave-facts.ts';

export type { ReadableLength };

export const readableLength = (path: string): Promise<ReadableLength | null> => {
  const seconds = (lookedAt(path)?.facts ?? waveFacts(path))?.durationSeconds ?? null;
  return Promise.resolve(seconds === null ? null : { seconds, pictureEndSeconds: null });
};

/** Pictures are not read. */
export const readablePictureSeconds = (): Promise<number | null> => Promise.resolve(null);
