// A script as a list of words, with their spoken forms and the ends of lines and paragraphs.
import { unspacedLetter } from '../../../contract/join-words.ts';
import type { Script } from '../../transcript/read/script.ts';
import { areNumbered, markLine, recurringNames } from './marks.ts';
import { type SpokenForm, spokenForm } from './spoken-form.ts';

export interface ScriptWord extends SpokenForm {
  /** As written, with its punctuation. */
  readonly text: string;
  /** Index of its cue or paragraph. */
  readonly part: number;
  /** Index of its line within the part. */
  readonly line: number;
}

export interface ScriptPart {
  /** Of a cue; null for a paragraph of plain text. */
  readonly startSeconds: number | null;
  readonly endSeconds: number | null;
  readonly lines: readonly string[];
  /** The speaker, where a cue names one. */
  readonly voice: string | null;
}

export interface ScriptText {
  readonly parts: readonly ScriptPart[];
  readonly words: readonly ScriptWord[];
}

/** Separate punctuation belongs to the previous word. */
const onlyMarks = /^[^\p{L}\p{N}%€$£¥&@+=°§]+$/u;

/** Longer ones are text without spaces. */
const longestChunk = 8;
/** Longest word in a transcript. */
const longestWord = 1000;

/**
 * The spoken words. Speaker names, stage directions and scene headings are left out (`marks.ts`).
 * @param language ISO 639 code
 */
export function scriptWords(script: Script, language: string): ScriptText {
  const parts = script.format === 'txt' ? paragraphs(script.text) : script.cues;
  const written = parts.map(({ lines }) => lines.map((text) => splitWords(text, language)));
  const names = recurringNames(written.flat());
  const isText = script.format === 'txt';
  const isNumbered = isText && areNumbered(written.flat());
  const words = written.flatMap((lines, part) =>
    lines.flatMap((line, index) => {
      const marks = markLine(line, names, isText, lines[index + 1] ?? null, isNumbered);
      return line
        .filter((_, at) => marks[at] !== true)
        .map((word) => ({ ...spokenForm(word, language), text: word, part, line: index }));
    }),
  );
  return {
    parts: parts.map((part) => ({
      startSeconds: 'startSeconds' in part ? part.startSeconds : null,
      endSeconds: 'endSeconds' in part ? part.endSeconds : null,
      lines: part.lines,
      voice: 'voice' in part ? part.voice : null,
    })),
    words: withoutNotes(words),
  };
}

export function paragraphs(text: string): { readonly lines: readonly string[] }[] {
  return text
    .split(/\n\s*\n/u)
    .map((paragraph) => ({
      lines: paragraph
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== ''),
    }))
    .filter(({ lines }) => lines.length > 0);
}

/** Words between spaces; text without spaces is divided by Unicode segmentation. */
export function splitWords(text: string, language: string): string[] {
  return text.split(/\s+/u).flatMap((chunk) => {
    if (chunk === '') return [];
    if (chunk.length > longestWord) return chunk.match(/.{1,500}/gsu) ?? [];
    if (language === 'ko' || !unspacedLetter.test(chunk) || chunk.length <= longestChunk) return [chunk];
    const words: string[] = [];
    let opening = '';
    for (const { segment, isWordLike } of new Intl.Segmenter(language, { granularity: 'word' }).segment(chunk)) {
      if (isWordLike === true || !onlyMarks.test(segment)) {
        words.push(opening + segment);
        opening = '';
      } else if (words.length === 0 || /^\p{Ps}|^\p{Pi}/u.test(segment)) opening += segment;
      else words[words.length - 1] += segment;
    }
    if (opening !== '') {
      if (words.length === 0) words.push(opening);
      else words[words.length - 1] += opening;
    }
    return words;
  });
}

/** Text in square brackets describes the sound: "[applause]", "[door slams]". */
function withoutNotes(words: readonly ScriptWord[]): ScriptWord[] {
  let within = false;
  let [part, line] = [-1, -1];
  return words.map((word) => {
    if (word.part !== part || word.line !== line) within = false;
    ({ part, line } = word);
    const opens = word.text.lastIndexOf('[');
    const closes = word.text.lastIndexOf(']');
    const note = within || opens === 0;
    if (opens >= 0 || closes >= 0) within = opens > closes;
    return note ? { ...word, spoken: '' } : word;
  });
}
