import type { StoredFile } from './stored-file.ts';
import { isTextFile } from './guards.ts';

/** Ten times as much as ten hours of speech with every word. */
export const mostTranscriptBytes = 64 * 1024 * 1024;

/** Is it a transcript that one of our tools may have made? Only reading it tells for sure. */
export const isTranscriptFile = (file: StoredFile): boolean =>
  file.kind === 'output' &&
  file.sourceJobId !== null &&
  isTextFile(file) &&
  (/^application\/json\b/.test(file.contentType) || file.format === 'json') &&
  (file.sizeBytes ?? 0) <= mostTranscriptBytes;
