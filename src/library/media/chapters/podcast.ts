import type { Chapter } from '../facts.ts';

/** A chapters file of the podcast namespace (`<podcast:chapters>`, application/json+chapters). */
export interface PodcastChapters {
  readonly version: '1.2.0';
  readonly chapters: readonly {
    /** Seconds from the start of the recording, at least 0. */
    readonly startTime: number;
    /** Seconds from the start of the recording, at least `startTime`. */
    readonly endTime: number;
    /** May be empty. */
    readonly title: string;
  }[];
}

const toMilliseconds = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/**
 * Chapters found by `probe` in the podcast namespace's JSON form (Podcasting 2.0, "JSON Chapters Format" 1.2.0). Times
 * are seconds, rounded to milliseconds.
 */
export const podcastChapters = (chapters: readonly Chapter[]): PodcastChapters => ({
  version: '1.2.0',
  chapters: chapters.map(({ startSeconds, endSeconds, title }) => ({
    startTime: toMilliseconds(startSeconds),
    endTime: toMilliseconds(endSeconds),
    title,
  })),
});
