// Reads a text that someone edited: our JSON, plain text, SubRip or WebVTT.
import type { Transcript } from '../../contract/transcript.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import { comparable } from '../align/anchors/similarity.ts';
import { markLine, recurringNames } from '../align/script/marks.ts';
import { paragraphs, splitWords } from '../align/script/script-words.ts';
import { decodeText } from '../transcript/read/decode-text.ts';
import { readScript } from '../transcript/read/script.ts';

/** A word in the order of a text. */
export interface TextWord {
  /** As written, with its punctuation. */
  readonly text: string;
  /** Letters and digits alone: words are compared by it. Never empty. */
  readonly form: string;
  /** Its start in the recording, where the text says it: seconds. */
  readonly startSeconds: number | null;
  /** A name or a direction, unless the original says it. */
  readonly isMark: boolean;
}

/** @throws EarshotError bad_request when it has no words; wrong_file_type for JSON that is no transcript */
export function readEdited(bytes: Uint8Array, original: Transcript): TextWord[] {
  const text = decodeText(bytes);
  const words = /^\s*[[{]/.test(text)
    ? (fromJson(text, original) ?? fromText(text, original))
    : fromText(text, original);
  if (words.some(({ isMark }) => !isMark)) return words;
  throw new EarshotError('bad_request', 'Expected the words that stay in the edited text but it has none', {
    nextAction: 'Delete words from a copy of the transcript, and leave those that are to stay.',
  });
}

/** Punctuation on its own belongs to no word. */
function withForms(words: readonly Omit<TextWord, 'form'>[]): TextWord[] {
  return words.map((word) => ({ ...word, form: comparable(word.text) })).filter(({ form }) => form !== '');
}

function fromText(text: string, { language }: Transcript): TextWord[] {
  const script = readScript(text);
  const isText = script.format === 'txt';
  const parts = isText ? paragraphs(script.text) : script.cues;
  const written = parts.map(({ lines }) => lines.map((line) => splitWords(line, language)));
  const names = recurringNames(written.flat());
  return withForms(
    written.flatMap((lines) =>
      lines.flatMap((line, index) => {
        const marks = markLine(line, names, isText, lines[index + 1] ?? null);
        return line.map((word, at) => ({ text: word, startSeconds: null, isMark: marks[at] === true || isNote(word) }));
      }),
    ),
  );
}

const isNote = (word: string): boolean => word.startsWith('[') || word.endsWith(']');

interface LooseSentence {
  readonly text?: unknown;
  readonly words?: readonly { readonly text?: unknown; readonly startSeconds?: unknown }[];
}

/** Sentences may be in any order here. null: it is no JSON of ours. */
function fromJson(text: string, original: Transcript): TextWord[] | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const { format, sentences } = value as { readonly format?: unknown; readonly sentences?: unknown };
  const expected =
    "Expected an edited transcript: a JSON object with format 'earshot-transcript' and sentences with words";
  if (format !== original.format || !Array.isArray(sentences)) throw new EarshotError('wrong_file_type', expected);
  const known = new Set(original.sentences.map(({ words }) => keyOf(words)));
  return (sentences as readonly LooseSentence[]).flatMap((sentence) => {
    const { text: said, words = [] } = sentence;
    if (!Array.isArray(words) || (said !== undefined && typeof said !== 'string'))
      throw new EarshotError('wrong_file_type', expected);
    const given = withForms(
      words.map((word: { readonly text?: unknown; readonly startSeconds?: unknown }) => ({
        text: typeof word.text === 'string' ? word.text : '',
        startSeconds: typeof word.startSeconds === 'number' ? word.startSeconds : null,
        isMark: false,
      })),
    );
    if (said === undefined) return given;
    const written = fromText(said, original).map((word) => ({ ...word, isMark: false }));
    const same = written.map(({ form }) => form).join(' ') === given.map(({ form }) => form).join(' ');
    // The list of words is as it was, so that it is the text that was edited.
    return same || !known.has(keyOf(words)) ? given : written;
  });
}

const keyOf = (words: readonly { readonly text?: unknown; readonly startSeconds?: unknown }[]): string =>
  JSON.stringify(words.map(({ text, startSeconds }) => [text, startSeconds]));
