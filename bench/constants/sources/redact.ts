// Constants of src/library/speech/redact that no measure of bench/constants chose, as those of dsp.ts.
const texts = 'rule: test/library/speech/redact has texts on both sides of it';
const few = 'rule: fewer letters or sounds are in too many other words';
const work = 'bound of work or of memory: finer changes no result';

export const redact: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'speech/redact/addresses.ts': {
    mostNames: texts,
    mostParts: 'published: RFC 1035 and RFC 5321',
    mostOfRoad: texts,
    mostOfTown: texts,
  },
  'speech/redact/blank-text.ts': { leastShare: 'no choice: of a word that is half gone as much is left' },
  'speech/redact/number-kinds.ts': {
    cardLengths: 'published: ISO/IEC 7812-1 has up to 19 digits, and cards in use have 13 and more',
    fewestDigits: 'rule: years and PINs have four; fewer are counts',
    fewestOfPhone: 'published: numbers without an area have seven digits',
    longestPhone: 'published: ITU-T E.164 has up to 15 digits',
  },
  'speech/redact/number-runs.ts': { mostBetween: texts },
  'speech/redact/places.ts': { mostOfNeighbour: 'no choice: beyond it is more of the neighbour than of the word' },
  'speech/redact/quiet-stretches.ts': {
    leastPower: 'identity: -100 dBFS, below the last bit of 16 bits',
    longestFrames: work,
    mostAbove: 'rule: recordings of 3 to 15 s gave noise as loud as their speech (-26 dBFS), now -42',
    mostStretches: 'rule: 6 s of room, a spectrum within 1 dB a band (test/library/edit/room-noise.test.ts)',
    parts: 'rule: a fifth of a stretch is as short as a syllable',
    stretchSeconds: 'usual length of a pause between sentences',
  },
  'speech/redact/sought-words.ts': {
    fewestLettersBeforeEnding: few,
    fewestLettersJoined: few,
    fewestLettersWithin: few,
    fewestSoundsJoined: few,
    longestSounded: work,
    wordsAtOnce: work,
  },
  'speech/redact/spoken-digits.ts': { numberWords: 'no choice: words of languages' },
};
