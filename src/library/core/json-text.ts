import { mostLevels } from './json.ts';

/** Bounds of a JSON text that a stranger sent. */
export interface JsonBounds {
  /** Items of lists and fields of objects, in all. */
  readonly values: number;
  /** Fields of objects whose name is no number, in all: to V8 a new name costs a thousand times what an item does. */
  readonly names: number;
}

/** An option may be a list of 10,000 ranges of two named times each. */
const usualBounds: JsonBounds = { values: 50_000, names: 20_000 };

/**
 * What a JSON text has too much of, told before it is parsed: "JSON of at most 32 levels". One pass over the text, in
 * time linear in its length. Text that is no JSON is left to the parser.
 *
 * @returns undefined within the bounds
 */
export function jsonExcess(text: string, { values, names }: JsonBounds = usualBounds): string | undefined {
  let levels = 0;
  let valueCount = 0;
  let nameCount = 0;
  let numbered = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      const end = endOfString(text, at);
      numbered = end - at <= 8 && isNumber(text, at + 1, end);
      at = end;
    } else if (code === colon) {
      if (!numbered) nameCount += 1;
      if (nameCount > names) return `JSON of at most ${names} names`;
    } else if (code === openBracket || code === openBrace || code === comma) {
      // What opens has a first value, and each comma one more.
      valueCount += 1;
      if (valueCount > values) return `JSON of at most ${values} values`;
      if (code !== comma) levels += 1;
      if (levels > mostLevels) return `JSON of at most ${mostLevels} levels`;
    } else if (code === closeBracket || code === closeBrace) levels -= 1;
  }
  return undefined;
}

const [quote, colon, comma, backslash] = [0x22, 0x3a, 0x2c, 0x5c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The place of the quotation mark that ends the string which begins at `start`; the text's length where none does. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

function isNumber(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x30 || code > 0x39) return false;
  }
  return end > start;
}
