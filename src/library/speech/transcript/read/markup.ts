// Removes styling from a cue's text: tags of WebVTT and SubRip, override blocks that SubRip files inherit from ASS, and
// character references.

/** A cue's text without styling. */
export interface PlainCue {
  /** Without empty lines and outer spaces. */
  readonly lines: readonly string[];
  /** Name of the first voice span: `<v Anna>`. */
  readonly voice: string | null;
}

/** The text after `<` or `</` in a tag, up to its `>`; other angle brackets are text ("3 < 5"). */
const tag = /<(\/?)([a-z]+|\d[\d:]*)((?:[.\s][^<>]*)?)\/?>/gi;
const tagNames = new Set(['b', 'i', 'u', 's', 'c', 'v', 'lang', 'ruby', 'rt', 'font', 'span', 'em', 'strong', 'br']);
/** `{\an8}`, `{\i1}`, and `{y:i}` of MicroDVD. */
const override = /\{(?:\\|[a-zA-Z]:)[^{}]*\}/g;
/** Ruby text repeats the ideographs' reading. */
const reading = 'rt';

const reference = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|nbsp|lrm|rlm|quot|apos|shy));/gi;
const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  nbsp: '\u00A0',
  lrm: '',
  rlm: '',
  quot: '"',
  apos: "'",
  shy: '',
};

/** @param text lines separated by `\n` */
export function plainCue(text: string): PlainCue {
  let voice: string | null = null;
  let plain = '';
  let last = 0;
  let inReading = false;
  const bare = text.replaceAll(override, '');
  for (const found of bare.matchAll(tag)) {
    const [whole, closing, name, rest] = found as unknown as [string, string, string, string];
    const lower = name.toLowerCase();
    if (!tagNames.has(lower) && !/^\d/.test(lower)) continue;
    if (!inReading) plain += bare.slice(last, found.index);
    last = found.index + whole.length;
    if (lower === reading) inReading = closing === '';
    else if (lower === 'ruby') inReading = false;
    else if (lower === 'br') plain += '\n';
    else if (lower === 'v' && closing === '') voice ??= voiceName(rest);
  }
  if (!inReading) plain += bare.slice(last);
  const lines = decodeReferences(plain)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return { lines, voice };
}

/** After classes, as in `<v.loud Anna>`. */
function voiceName(rest: string): string | null {
  const blank = rest.search(/\s/);
  const name = blank < 0 ? '' : decodeReferences(rest.slice(blank).replaceAll(/\s+/g, ' ')).trim();
  return name === '' ? null : name;
}

function decodeReferences(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(reference, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return named[name.toLowerCase()] ?? whole;
    const code = Number.parseInt(decimal ?? hex ?? '', decimal === undefined ? 16 : 10);
    const isCharacter = code > 0x1f && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : whole;
  });
}
