// Lists of chapters as people and programs write them.
import { EarshotError } from '../core/errors/errors.ts';
import { readTime } from './said-values.ts';

/** A chapter of a list; times in seconds from the start of the recording. */
export interface ChapterMark {
  readonly startSeconds: number;
  readonly title: string;
  /** Default: where the next one begins. */
  readonly endSeconds?: number;
}

const nextAction =
  'Write a time and a title in each line ("0:00 Intro", "12:30 Questions"), or give labels of Audacity or JSON of ' +
  'the podcast namespace.';

/**
 * Reads a list of chapters: lines of a time and a title, labels that Audacity exports (start, end and title between
 * tabs), or the podcast namespace's JSON. Empty lines are left out.
 * @param name of the file, for errors
 * @throws EarshotError bad_request: a line that is no chapter, or none at all
 */
export function readChapterMarks(text: string, name: string): ChapterMark[] {
  const content = text.replace(/^\uFEFF/, '').trim();
  const marks = content.startsWith('{') ? fromJson(content, name) : fromLines(content, name);
  if (marks.length === 0)
    throw new EarshotError('bad_request', `Expected chapters in ${name}, but there are none`, { nextAction });
  return marks;
}

function fromLines(content: string, name: string): ChapterMark[] {
  return content.split(/\r?\n/).flatMap((line, at) => {
    // Audacity writes a second line with frequencies for a label of the spectrum.
    if (line.trim() === '' || line.startsWith('\\\t')) return [];
    const [first = '', second = '', ...rest] = line.split('\t');
    if (rest.length > 0) {
      const [start, end] = [first, second].map((time) => (time.trim() === '' ? null : Number(time)));
      if (start !== null && end !== null && isTime(start) && isTime(end))
        return [{ startSeconds: start, title: rest.join(' ').trim() }];
    }
    const [, time = '', title = ''] = /^\s*(?:[-*•]\s+)?[([]?([\d:.,]+)[)\]]?\s*(?:[-–—|]\s+)?([^]*)$/.exec(line) ?? [];
    const startSeconds = readTime(time);
    if (startSeconds !== null && isTime(startSeconds) && title.trim() !== '')
      return [{ startSeconds, title: title.trim() }];
    throw new EarshotError(
      'bad_request',
      `Expected a time and a title in line ${at + 1} of ${name} but received "${line.trim().slice(0, 80)}"`,
      { nextAction },
    );
  });
}

function fromJson(content: string, name: string): ChapterMark[] {
  const refuse = (what: string): never => {
    throw new EarshotError(
      'bad_request',
      `Expected chapters in ${name} as the podcast namespace has them, but ${what}`,
      {
        nextAction,
      },
    );
  };
  let listed: unknown;
  try {
    ({ chapters: listed } = JSON.parse(content) as { chapters?: unknown });
  } catch {
    refuse('it is no JSON');
  }
  if (!Array.isArray(listed)) return refuse('it has no list "chapters"');
  return listed.map((one: unknown, at) => {
    const { startTime, endTime, title = '' } = (one ?? {}) as Record<string, unknown>;
    if (!isTime(startTime)) return refuse(`"startTime" of number ${at + 1} is no number of seconds`);
    if (typeof title !== 'string') return refuse(`"title" of number ${at + 1} is no text`);
    return { startSeconds: startTime, ...(isTime(endTime) ? { endSeconds: endTime } : {}), title };
  });
}

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0;
