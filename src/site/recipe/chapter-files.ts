// Chapters as files: lines for show notes, JSON as podcast apps read it, WebVTT as players on pages do.

import { escaped, stamp } from '../../library/speech/transcript/write/subtitles.ts';
import { formatTime } from '../time-ranges.ts';

export interface Chapter {
  /** In the episode. */
  readonly startSeconds: number;
  readonly title: string;
}

const oneLine = (title: string): string => title.replaceAll(/\s+/g, ' ').trim();

/** A line for each, as platforms read them in show notes. */
export const asNotes = (chapters: readonly Chapter[]): string =>
  chapters.map(({ startSeconds, title }) => `${formatTime(Math.floor(startSeconds), 0)} ${oneLine(title)}\n`).join('');

/** JSON chapters of the podcast namespace, version 1.2.0. */
export const asJson = (chapters: readonly Chapter[]): string =>
  `${JSON.stringify(
    {
      version: '1.2.0',
      chapters: chapters.map(({ startSeconds, title }) => ({
        startTime: Math.round(startSeconds * 1000) / 1000,
        title: oneLine(title),
      })),
    },
    null,
    2,
  )}\n`;

/** A track of chapters in WebVTT. @param endSeconds of the episode */
export const asVtt = (chapters: readonly Chapter[], endSeconds: number): string =>
  `WEBVTT\n${chapters
    .map(({ startSeconds, title }, at) => {
      const end = chapters[at + 1]?.startSeconds ?? Math.max(endSeconds, startSeconds + 0.001);
      // An arrow would end the text, and signs of markup are read as such.
      return `\n${stamp(startSeconds, '.')} --> ${stamp(end, '.')}\n${escaped(oneLine(title))}\n`;
    })
    .join('')}`;
