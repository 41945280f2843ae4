// Windows that an interrupted run has read are not read again.
import { createHash } from 'node:crypto';
import type { FinishedParts } from '../../../core/progress/finished-parts.ts';
import type { JsonValue } from '../../../core/json.ts';
import type { PlacedWord } from './place-words.ts';
import type { WindowReader } from './window-reader.ts';

/** What the words of a window depend on, besides the window: recogniser, language, options. */
export type ReadingIdentity = Readonly<Record<string, JsonValue | undefined>>;

const isTime = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value) && value >= 0;
const isWord = (value: unknown): boolean => {
  const { text, startSeconds, endSeconds, confidence } = (value ?? {}) as Partial<Record<keyof PlacedWord, unknown>>;
  return typeof text === 'string' && isTime(startSeconds) && isTime(endSeconds) && isTime(confidence);
};

/** The words of so many windows; null for anything else. */
function wordsIn(value: unknown, windows: number): PlacedWord[][] | null {
  if (!Array.isArray(value) || value.length !== windows) return null;
  return value.every((words) => Array.isArray(words) && words.every(isWord)) ? (value as PlacedWord[][]) : null;
}

/** A reader that answers what is among the finished parts from there, and adds what it reads. */
export function resumedReader(reader: WindowReader, identity: ReadingIdentity, parts: FinishedParts): WindowReader {
  return {
    ...reader,
    async read(windows, from) {
      const made = JSON.stringify([identity, windows]);
      const key = `words ${createHash('sha256').update(made).digest('hex')}`;
      const known = wordsIn(parts.get(key), windows.length);
      if (known !== null) return known;
      const words = await reader.read(windows, from);
      parts.add({ key, value: words as unknown as JsonValue });
      return words;
    },
  };
}
