// Advanced SubStation Alpha, version 4.00+: captions with styles, for players, editors and for burning in (libass).
import type { Transcript } from '../../../contract/transcript.ts';
import type { Caption, CaptionWord } from './caption.ts';
import { captionsOf } from './captions.ts';
import type { CaptionProfile } from './limits.ts';
import { type CaptionOptions, prefixOf, speakerName } from './subtitles.ts';

/** How captions are written. */
export interface AssOptions extends CaptionOptions {
  /** Name of the font. Default Arial; where a machine has none of that name, it takes another. */
  readonly font?: string;
  /** Size of the picture in pixels, which the sizes of letters and margins follow. Default 1920 x 1080. */
  readonly size?: { readonly width: number; readonly height: number };
}

/** Shares of the picture's shorter side for letters, of its height for the margin; colours as &HAABBGGRR. */
interface AssStyle {
  readonly letters: number;
  readonly margin: number;
  readonly bold: boolean;
  /** Of words that are spoken already, or of all without karaoke. */
  readonly colour: string;
  /** Of words to come. */
  readonly waiting: string;
  /** 1: an outline; 3: a box behind the text. */
  readonly border: 1 | 3;
  readonly outline: string;
}

const white = '&H00FFFFFF';
const black = '&H00000000';
const outlined: AssStyle = {
  letters: 0.05,
  margin: 0.05,
  bold: false,
  colour: white,
  waiting: '&H00B0B0B0',
  border: 1,
  outline: black,
};
const styles: Readonly<Record<CaptionProfile, AssStyle>> = {
  standard: outlined,
  broadcast: { ...outlined, border: 3, outline: '&H20000000' },
  youtube: { ...outlined, border: 3, outline: '&H40000000' },
  // High enough for the buttons that apps put over the lower part of a picture.
  shorts: { ...outlined, letters: 0.085, margin: 0.24, bold: true, colour: '&H0000FFFF', waiting: white },
};

/** UTF-8, LF. Speakers are in the name field of each event; several of them are named in the text as well. */
export const toAss = (transcript: Transcript, options: AssOptions = {}): string =>
  assOf(captionsOf(transcript, prefixOf(transcript, options), options.profile, options.byHand), options);

/**
 * The same of captions that are there.
 * @param wraps is a line that is wider than the picture divided? Default: no, lines are as they are
 */
export function assOf(captions: readonly Caption[], options: AssOptions, wraps = false): string {
  const { profile = 'standard', font = 'Arial', size = { width: 1920, height: 1080 } } = options;
  const { width, height } = size;
  const style = styles[profile];
  const pixels = Math.round(style.letters * Math.min(width, height) * 1.2);
  const colour = options.karaoke || profile !== 'shorts' ? style.colour : white;
  const fields = [
    'Default',
    plain(font).replaceAll(',', ' '),
    pixels,
    colour,
    style.waiting,
    style.outline,
    '&H80000000',
    style.bold ? -1 : 0,
    '0,0,0,100,100,0,0',
    style.border,
    Math.max(1, Math.round(pixels / 14)),
    '0,2',
    Math.round(width * 0.05),
    Math.round(width * 0.05),
    Math.round(height * style.margin),
    // libass takes the direction of a line from its letters; else marks at the end of it are at its right end.
    runsLeft(captions) ? '-1' : '1',
  ];
  const events = captions.map((caption) => {
    const { startSeconds, endSeconds, lines, words, speaker } = caption;
    const name = speaker === null ? '' : plain(speakerName(speaker, options)).replaceAll(',', ' ');
    const lead = (lines[0] ?? '').slice(0, (lines[0] ?? '').length - lineLength(words));
    const text =
      options.karaoke && words ? `${plain(lead)}${sung(words, startSeconds)}` : lines.map(plain).join(String.raw`\N`);
    return `Dialogue: 0,${stamp(startSeconds)},${stamp(endSeconds)},Default,${name},0,0,0,,${text}`;
  });
  return [
    '[Script Info]',
    'ScriptType: v4.00+',
    `WrapStyle: ${wraps ? 0 : 2}`,
    'ScaledBorderAndShadow: yes',
    `PlayResX: ${width}`,
    `PlayResY: ${height}`,
    '',
    '[V4+ Styles]',
    'Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, ' +
      'Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, ' +
      'MarginR, MarginV, Encoding',
    `Style: ${fields.join(',')}`,
    '',
    '[Events]',
    'Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text',
    ...events,
    '',
  ].join('\n');
}

/** Is any of it written from right to left? */
const runsLeft = (captions: readonly Caption[]): boolean =>
  captions.some(({ lines }) => lines.some((line) => leftward.test(line)));
const leftward = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** Letters of the words of the first line. */
const lineLength = (words: readonly CaptionWord[] = []): number =>
  words.reduce((sum, { text, line, spaced }) => sum + (line === 0 ? text.length + (spaced ? 1 : 0) : 0), 0);

/** Text without what ASS would take for codes, or for the end of a line: another could begin there, such as a font. */
const plain = (text: string): string =>
  text
    .replaceAll(/\p{Cc}+/gu, ' ')
    .replaceAll('\\', '\\\u2060')
    .replaceAll('{', String.raw`\{`)
    .replaceAll('}', String.raw`\}`);

const hundredths = (seconds: number): number => Math.round(seconds * 100);

/** "0:00:01.00" */
function stamp(seconds: number): string {
  const whole = hundredths(seconds);
  const two = (value: number): string => String(Math.floor(value) % 60).padStart(2, '0');
  return `${Math.floor(whole / 360_000)}:${two(whole / 6000)}:${two(whole / 100)}.${String(whole % 100).padStart(2, '0')}`;
}

/** Each word with its time from the one before, in hundredths, so that the sum never drifts. */
function sung(words: readonly CaptionWord[], startSeconds: number): string {
  let at = hundredths(startSeconds);
  const until = (seconds: number): number => {
    const length = Math.max(0, hundredths(seconds) - at);
    at += length;
    return length;
  };
  return words
    .map(({ text, startSeconds: from, endSeconds, line, spaced }, index) => {
      const begins = index > 0 && line !== words[index - 1]?.line ? String.raw`\N` : '';
      const pause = until(from);
      const next = words[index + 1];
      const length = until(next === undefined ? endSeconds : Math.max(endSeconds, next.startSeconds));
      return `${begins}${pause > 0 ? `{\\k${pause}}` : ''}{\\k${length}}${spaced ? ' ' : ''}${plain(text)}`;
    })
    .join('');
}
