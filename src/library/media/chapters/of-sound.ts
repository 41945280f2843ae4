import type { Chapter, MediaFacts } from '../facts.ts';

/**
 * Chapters on the clock of the sound, which starts at its first sample. A file's own clock starts with its earliest
 * stream, in a video possibly the picture.
 */
export function chaptersOfSound({ audio, streams, chapters }: MediaFacts): readonly Chapter[] {
  const starts = streams
    .filter(({ type }) => type === 'audio' || type === 'video')
    .flatMap(({ startSeconds }) => startSeconds ?? []);
  const late = (audio?.startSeconds ?? 0) - Math.min(...starts, audio?.startSeconds ?? 0);
  if (late < 0.001) return chapters;
  return chapters.flatMap(({ startSeconds, endSeconds, title }) =>
    endSeconds > late ? [{ startSeconds: Math.max(0, startSeconds - late), endSeconds: endSeconds - late, title }] : [],
  );
}
