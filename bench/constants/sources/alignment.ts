// Constants of src/library/speech/align that no measure chose, as those of speech.ts.
const sphinx =
  "published: CMU Sphinx's front end (sphinx_fe's defaults: 40 filters, 133.3333 to 6855.4976 Hz, alpha 0.97)";
const work = 'bound of work: the result does not depend on it';
const enumeration = 'names of cases; no quantity';

export const alignment: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'speech/align/script/guess-language.ts': {
    clearly: 'rule: with leastCommonWords',
    leastCommonWords:
      'rule: texts of 60 words in 8 languages: the own language has 3.2 times and more of its sister, but for ' +
      'Danish, Norwegian and Swedish',
  },
  'speech/align/align-script.ts': {
    wordsOfSentence: 'rule: texts of 60 words in sister languages share at most 3 in a row',
    wordsShown: 'length of a message; nothing depends on it',
    lettersShown: 'length of a message; nothing depends on it',
  },
  'speech/align/anchors/heard-order.ts': {
    fewestWords:
      'rule: scripts of 7 recordings, sentences shuffled by 3 seeds, all words found at their places; of halves of ' +
      'other recordings none is moved (bench/speech/wrong-scripts.ts --only=moved)',
    leastHeard: 'rule: with fewestWords',
    mostBetween: 'rule: with fewestWords',
  },
  'speech/align/anchors/pairs.ts': {
    mostCells: work,
    '[pairing, leftOnly, rightOnly]': enumeration,
  },
  'speech/align/anchors/place-words.ts': {
    mostSecondsTried: work,
    mostLettersSquared: work,
    otherRun:
      "rule: own misheard words in noise have .25 and more, others' at most .21 (bench/speech/wrong-scripts.ts)",
  },
  'speech/align/coarse.ts': { framesAtOnce: work, wordsAtOnce: work },
  'speech/align/features.ts': {
    cepstraCount: 'paper: Davis and Mermelstein 1980; 13 cepstra as speech recognisers take them',
    dimensions: 'identity: cepstra and their changes',
  },
  'speech/align/find-heard-words.ts': { wordsAtOnce: work },
  'speech/align/heard.ts': {
    digitalSilence:
      'rule: jfk.wav with a second of sound missing: words up to 0.69 s from their places without it, 0.1 with it; ' +
      'acoustic_corpus and sonnet001 as before (bench/speech/alignment.ts)',
    leastAudible: 'rule: with digitalSilence',
  },
  'speech/align/pieces.ts': {
    longestHoldFrames:
      'rule: twelve words after AC-3, AAC, Opus: up to 86 ms early, 15 at most with it; acoustic_corpus and sonnet001 ' +
      'as before (bench/containers --odd, bench/speech/alignment.ts)',
    leastHoldFrames: 'rule: with longestHoldFrames',
    silentLoudness: 'rule: with longestHoldFrames; at .05 the median on acoustic_corpus is 30 for 20 ms',
  },
  'speech/align/place-coarsely.ts': { mostCells: work, rowsAtOnce: work },
  'speech/align/reference/espeak.ts': {
    defaultWordsPerMinute: "published: eSpeak NG's default",
    defaultPitch: "published: eSpeak NG's default",
    mostCharacters: work,
  },
  'speech/align/reference/mel-bands.ts': {
    bandCount: sphinx,
    lowestHz: sphinx,
    highestHz: sphinx,
    preEmphasis: sphinx,
    windowSeconds: 'published: 25 ms, as speech recognisers take it (HTK, Kaldi, Sphinx)',
    hopsPerSecond: 'published: 10 ms, as speech recognisers take it (HTK, Kaldi, Sphinx)',
    leastEnergy: 'bound: keeps a logarithm finite; under what 16 bits hold',
    framesAtOnce: work,
  },
  'speech/align/reference/reference.ts': { mostWordsAtOnce: work, mostLettersAtOnce: work },
  'speech/align/spoken-here.ts': { mostCells: work },
  'speech/align/script/script-words.ts': {
    longestWord: 'contract: transcripts hold words of up to 1000 characters',
  },
};
