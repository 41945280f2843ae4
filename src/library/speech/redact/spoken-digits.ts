// Numbers as people say them, one after the other: "four one one", "double oh seven", "einundzwanzig".
import { fillersOf } from '../fillers/filler-lists.ts';

interface NumberWords {
  /** Words of one digit, of two, or of noughts: "twenty" is "20", "hundred" "00". */
  readonly digits: Readonly<Record<string, string>>;
  /** What repeats the next digit, and how often. */
  readonly repeats?: Readonly<Record<string, number>>;
  /** Said between digits. */
  readonly between?: readonly string[];
}

const counted = (from: number, words: string): Record<string, string> =>
  Object.fromEntries(words.split(' ').map((word, at) => [word, String(from + at)]));
const tens = (words: string): Record<string, string> =>
  Object.fromEntries(words.split(' ').map((word, at) => [word, String(20 + 10 * at)]));

const german = 'null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf';
const germanTens = 'zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig';
const germanUnits = ['ein', 'zwei', 'drei', 'vier', 'funf', 'sechs', 'sieben', 'acht', 'neun'];

/** By ISO 639 code; words without accents. Digits are digits in every language. */
const numberWords: Readonly<Record<string, NumberWords>> = {
  en: {
    digits: {
      ...counted(0, 'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen'),
      ...counted(16, 'sixteen seventeen eighteen nineteen'),
      ...tens('twenty thirty forty fifty sixty seventy eighty ninety'),
      oh: '0',
      o: '0',
      nought: '0',
      hundred: '00',
      thousand: '000',
    },
    repeats: { double: 2, triple: 3 },
    between: ['dash', 'hyphen', 'space'],
  },
  de: {
    digits: {
      ...counted(0, german),
      ...counted(13, 'dreizehn vierzehn funfzehn sechzehn siebzehn achtzehn neunzehn'),
      ...tens(germanTens),
      ...Object.fromEntries(
        germanTens
          .split(' ')
          .flatMap((ten, at) => germanUnits.map((unit, below) => [`${unit}und${ten}`, String(21 + 10 * at + below)])),
      ),
      zwo: '2',
      hundert: '00',
      tausend: '000',
    },
    repeats: { doppel: 2 },
    between: ['strich', 'bindestrich'],
  },
  fr: {
    digits: {
      ...counted(0, 'zero un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize'),
      vingt: '20',
      trente: '30',
      quarante: '40',
      cinquante: '50',
      soixante: '60',
      cent: '00',
    },
    between: ['tiret'],
  },
  es: {
    digits: {
      ...counted(0, 'cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince'),
      ...counted(16, 'dieciseis diecisiete dieciocho diecinueve'),
      ...tens('veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa'),
      cien: '00',
      mil: '000',
    },
    between: ['guion'],
  },
  it: {
    digits: {
      ...counted(0, 'zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici'),
      ...counted(15, 'quindici sedici diciassette diciotto diciannove'),
      ...tens('venti trenta quaranta cinquanta sessanta settanta ottanta novanta'),
    },
    between: ['trattino'],
  },
};

/** Words that mean a number in the language of a text. */
export interface SpokenDigits {
  /** The digits of a word without accents; null: it is no number. */
  digitsOf(word: string): string | null;
  /** How often it repeats the next digit; 1: it does not. */
  repeatsOf(word: string): number;
  /** May it be said between digits? */
  isBetween(word: string): boolean;
}

/** @param language ISO 639 code */
export function spokenDigits(language: string): SpokenDigits {
  const { digits = {}, repeats = {}, between = [] }: Partial<NumberWords> = numberWords[language] ?? {};
  const fillers = fillersOf(language);
  return {
    digitsOf: (word) => (Object.hasOwn(digits, word) ? (digits[word] ?? null) : null),
    repeatsOf: (word) => (Object.hasOwn(repeats, word) ? (repeats[word] ?? 1) : 1),
    isBetween: (word) => between.includes(word) || (fillers?.isAlways(word) ?? false),
  };
}

/** Two numbers of which the second is the first one's last digit: "twenty" and "one". */
export const addsUp = (before: string, digits: string): boolean => /^[2-9]0$/.test(before) && /^[1-9]$/.test(digits);
