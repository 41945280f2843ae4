// Constants of src/library/speech that no measure chose: by file and name, kind and source. "tuned: " goes in front of
// what says where a tuned value comes from; its figures are measured all the same.
const netflix = 'standard: Netflix Timed Text Style Guide, general requirements';
const segmentation = 'network: pyannote segmentation-3.0 (Plaquet and Bredin 2023), its window, frames and classes';

const whisper =
  'paper: Radford et al. 2022, and the decoder published with it (openai/whisper, transcribe.py and decoding.py)';
const whisperShape = 'network: Whisper';
const silero = 'network: Silero VAD v6, its input and state';
const soft = 'tuned: jfk.wav 40 and 60 dB lower, and noise, hum and music in which no word may be heard (45b8ea8)';
const hidden =
  'rule: between hoarse voices in noise (-0.70 and -0.76) and what was invented over bass (two tokens at -1.73)';
const raised =
  'rule: seconds of voice of a hoarse one at -45 dBFS with .08, .16, .3 and .45: 12.1, 19.5, 20.3 and 20.7';
const faint =
  'tuned: whispers of jfk, austen and acoustic_corpus in noise, and 43 sounds of noise and music in which no word ' +
  'may be heard';
const nemo = "network: NeMo's front end (AudioToMelSpectrogramPreprocessor), which Parakeet was trained with";
const events = 'measured: 225 recordings of events, half to choose and half to judge: 92 % right, 54 % found';
const work = 'bound of work: the result does not depend on it';
const memory = 'bound of memory: what `npm run test:machines` prints';
const texts =
  'rule: texts that people edit by hand (test/library/speech/text-edit, test/library/tools/cut/cut-by-text.test.ts)';
const channels = 'rule: two microphones in a room (test/library/speech/speakers/channel-turns.test.ts)';
const prints =
  'measured: readers of EmoDB, VCTK and others by `npm run bench:voices`, which judges with BanglaSER (docs/voices.md)';
const looks = 'rule: how captions look; no figure depends on it';
const zipFormat = 'standard: APPNOTE 6.3.3, the ZIP file format';
const progress = 'share of progress that is shown; no result depends on it';

export const speech: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'speech/fillers/timbre.ts': {
    frame: 'size of a transform: the power of two next to 32 ms at 16 kHz',
    bandEdgesHz: 'paper: edges of the Bark scale (Zwicker, JASA 33, 1961), 100 to 4400 Hz',
  },
  'speech/fillers/find-cuts.ts': { cutsPerTurn: work },
  'speech/transcript/write/rttm.ts': {
    turnPauseSeconds: 'convention: half a second, as in reference files of meetings',
  },
  'speech/activity/live-voice.ts': {
    levelSteps: 'rule: a minute tells how loud somebody speaks',
    stepsPerLevel: work,
  },
  'speech/live/drafts.ts': {
    leastDraftSeconds: 'rule: a shorter stretch has hardly a sentence with more behind it',
    draftEverySeconds: 'rule: a sentence is shown some three seconds after its end',
    draftRest: 'rule: a fifth of a core stays free',
    mostPauseSeconds: 'rule: in a longer pause the stretch may end soon',
    leastBehindSeconds: 'rule: a sentence is shown some three seconds after its end',
    leastWordsBehind: 'rule: the last word of unfinished sound is often a guess',
  },
  'speech/live/segments.ts': {
    marginSeconds: 'as in speech/recognise/windows/windows.ts',
    endingPauses:
      'rule: a sentence is shown some two seconds after its end, and what belongs together is read together',
    silenceSeconds: 'rule: as the longest of those pauses',
    longestSeconds: 'rule: what was said comes within some 15 s',
    searchedSeconds: 'rule: the last part of a stretch, so that it is not divided early',
  },
  'speech/live/live-sentences.ts': {
    mostWaitingSeconds: memory,
    usualWaitingSeconds: 'rule: less waits where the machine keeps up',
    behindEveryMs: 'rule: how often a warning is read',
    longestSentenceSeconds: 'rule: a longer sentence is not waited for',
    languageSeconds: 'rule: so much speech tells the language',
  },
  'speech/recognise/whisper/heard-terms.ts': {
    doubtful: 'bound of work: words of ordinary speech that are surer are not compared',
    doubtfulBehind: 'bound of work: the same of the word behind, where a name was read as several words',
    leastLikeness: 'bound of work: what is less alike is tried only where the word itself is doubtful',
    mostOfEach: 'bound of work: names that are said were among the first three of either kind',
    moreWords: 'rule: names are read as up to five words',
    leastOfUnlike: 'rule: more than any name had that is not said: 15.2 in 24 min without one',
    likerBehind: 'rule: more than likeness differs by chance; "Jon Dashwoode" for "And Mr. John Dashwood" has 0.3',
    mostlyAlike:
      'rule: in 32 min without a name, names with leastOfTerm sounded at most 0.39 like the words in their place',
    leastOfTerm: 'rule: said names that sound like what was read had 7.4 and more; others that did so at most 5.9',
  },
  'speech/recognise/whisper/likeness.ts': {
    otherVowel: 'rule: vowels are confused more often than consonants; half of what a vowel weighs, roughly',
    vowelWeight: 'rule: vowels are confused more often than consonants; half of a consonant, roughly',
    mostRemembered: memory,
  },
  'speech/recognise/whisper/term-reader.ts': {
    leastInFrequent: 'rule: said names had 9 and more in the place of frequent words, "Grainne" for "right" 8.2',
    mostSure:
      'rule: words in the place of said names have at most -1.3; words that a name that is not said fitted, -.5',
    tokensBehind: 'rule: a few words behind, so that an end that does not fit speaks against a name',
  },
  'speech/recognise/whisper/terms.ts': {
    leastOfSpelling: 'rule: nearly the same sound; "Tilda" for "Tilney" has .72',
    leastLikeness: 'rule: half of a name was heard; bench/speech/vocabulary.ts shows what it finds and invents',
    mostAtPlace: 'bound of work: the most alike names of a place are compared',
    leastAdded: 'rule: names that are said had 5.1 and more, words alike in 32 min without a name at most 2.9',
    mostPlaces: 'bound of work: the places most alike to names are compared',
  },
  'speech/recognise/whisper/unheard.ts': {
    silentMel: "identity: the logarithm that digital silence has in Whisper's features",
    silentPositions: 'bound of work: two seconds of silence',
  },
  'speech/speakers/channel-turns.ts': {
    hopSeconds: channels,
    louderDb: channels,
    silenceDbfs: channels,
    breakSeconds: channels,
    leastShare: channels,
  },
  'speech/voices/voice-print.ts': {
    leastPrintSeconds: prints,
    heardSeconds: work,
    sliceSeconds: work,
    strangeShare: prints,
  },
  'speech/voices/join-prints.ts': {
    leastSamePerson: prints,
    mostWeight: 'rule: another recording is worth more than minutes of one (facts of the recipe: .74 to .80)',
  },
  'speech/voices/known-voices.ts': {
    threshold: prints,
    lead: prints,
    littleSeconds: prints,
    moreWhereLittle: prints,
    many: 'rule: none had more than 50 names to choose from',
    moreWhereMany: 'rule: as above',
    sameVoice: prints,
    steepness: 'rule: the least of 66 pairs of one person has .98; no decision depends on it',
  },
  'speech/voices/heard-voices.ts': {
    pieceSeconds: prints,
    leastPieceSeconds: 'as in speech/speakers/voices.ts',
    leastStretchSeconds: 'as in speech/speakers/pieces.ts',
    togetherSeconds: work,
    mostSeconds: work,
  },
  'speech/voices/telephone.ts': {
    telephoneRate: 'standard: ITU-T G.711',
    bandHz: 'standard: the band of telephones, ITU-T G.712',
    peak: 'rule: voices fill the eight bits, and no sample is clipped',
    mu: 'standard: ITU-T G.711',
    sections: 'identity: Butterworth of the fourth order',
  },
  'speech/speakers/voices.ts': {
    mistakenBesides:
      'measured: one voice in 204 s has 0.09 and 19 times, two in 24 conversations 0.11 and up or 3 times',
    farthestCut: 'identity: the greatest cosine distance',
    mostCuts: work,
    mostVoices: 'bound of work: twice as many voices as are numbered',
  },
  'speech/transcript/write/ass.ts': { outlined: looks, styles: looks },
  'speech/transcript/write/short-captions.ts': {
    mostWords: 'rule: captions of short videos have one to three words',
    pauseSeconds: looks,
    staySeconds: looks,
  },
  'speech/transcript/write/zip.ts': {
    dosDate: zipFormat,
    version: zipFormat,
    utf8Names: zipFormat,
  },
  'speech/text-edit/compare.ts': {
    fewestBetweenNew: texts,
    fewestNewAround: texts,
  },
  'speech/text-edit/blocks.ts': { surePassage: texts, fewestLetters: texts, mostPlaces: work },
  'speech/text-edit/substitutions.ts': { fewWords: texts, alike: texts, fewestLetters: texts, mostWords: work },
  'speech/text-edit/text-edit.ts': { leastShare: texts },
  'speech/text-edit/correct.ts': { alone: texts },
  'speech/word-edit/keeps.ts': { overlapSeconds: texts },
  'speech/word-edit/seam.ts': {
    reachSeconds:
      'tuned: every word and every three words cut out of acoustic_corpus, by its marked words and by those heard: ' +
      'what is lost of words that stay',
  },
  'speech/word-edit/quiet-places.ts': {
    windowSeconds: 'bound: a period of a low voice, so that no zero crossing counts as silence',
    quietShare: 'rule: 20 dB below the word beside it (test/library/speech/word-edit)',
    pauseSeconds: 'rule: cuts previewed in a browser (test/library/speech/word-edit)',
    awayShare: 'rule: cuts previewed in a browser (test/library/speech/word-edit)',
  },
  'speech/fillers/mouth-sounds/band-track.ts': {
    frame: 'size of a transform: 20 ms at 16 kHz',
    bandEdgesHz: 'paper: edges of the Bark scale (Zwicker, JASA 33, 1961), 150 to 7700 Hz',
  },
  'speech/fillers/mouth-sounds/find-mouth-sounds.ts': { blockSeconds: work },
  'speech/fillers/fits-pauses.ts': { stretchSeconds: work, mostStretches: work, mostShifts: work },
  'speech/pitch.ts': { pitchFrame: 'size of a transform: the power of two next to 32 ms at 16 kHz' },
  'speech/fillers/stutters.ts': { blockSeconds: work, mostPieces: work },
  'speech/fillers/held-sound.ts': { centreSeconds: 'identity: half a frame' },
  'speech/speakers/find-speakers.ts': { shares: progress },
  'speech/speakers/linkage.ts': {
    defaultBlock: 'bound of work and memory: average linkage takes the square of what it links',
    turnMilliseconds: work,
  },
  'speech/speakers/listening.ts': {
    threadBytes: memory,
    windowsTogether: work,
    passagesTogether: work,
  },
  'speech/speakers/networks.ts': {
    embeddingLength: 'network: CAM++ zh-en advanced (3D-Speaker), length of its output',
  },
  'speech/speakers/segmentation.ts': {
    windowSamples: segmentation,
    windowFrames: segmentation,
    frameStep: segmentation,
    firstCentre: segmentation,
    localSpeakers: segmentation,
    classVoices: segmentation,
  },
  'speech/transcript/write/limits.ts': {
    linesPerCaption: netflix,
    shortestSeconds: netflix,
    longestSeconds: netflix,
    gapSeconds: `${netflix}: two frames between captions, at 24 a second`,
    flickerSeconds: `${netflix}: gaps of 3 to 11 frames are closed`,
    byProfile: 'standard: BBC Subtitle Guidelines (37 cells, 180 words a minute), YouTube (32 cells a line)',
    latin: 'standard: Netflix Timed Text Style Guide, English: 42 cells a line, 20 a second',
    byLanguage: 'standard: Netflix Timed Text Style Guides of these languages',
  },
  'speech/transcript/read/script.ts': {
    leastRolling:
      'rule: YouTube repeats a line in each cue, from the first to the last; people who repeat do it once or twice',
  },
  'speech/transcript/read/timing-line.ts': { longest: 'bound of work: longer lines are text; no file has such times' },
  'speech/speech-sound.ts': {
    speechRate: 'network: Whisper, Silero VAD, pyannote and CAM++ all take 16 kHz',
    bytesPerFrame: 'identity: a 32-bit float',
  },
  'speech/transcript/write/heard-sentences.ts': {
    shownSeconds: 'choice: within the 5/6 to 7 s of a caption',
    againSeconds: 'choice: music goes on through pauses of talk, a dog barks many times',
  },
  'speech/transcribe/hear-sounds.ts': { patchesPerPart: work, hopFrames: work },
  'speech/transcribe/sound-events.ts': {
    music: events,
    sounds: events,
    animals: events,
    leastName: events,
    eventHopRows: events,
    hopSeconds: events,
    patchSeconds: 'network: YAMNet',
    headSeconds: events,
    tailSeconds: events,
    mostGapPatches: events,
  },
  'speech/transcribe/transcribe.ts': { besideSeconds: `${work}: a recording of one window for the recogniser` },
  'speech/recognise/parakeet/parakeet-reader.ts': { windowBytes: memory, startBytes: memory },
  'speech/recognise/parakeet/parakeet-task.ts': { startShare: memory, usualPace: work },
  'speech/recognise/whisper/place-reading.ts': { positionsPerSecond: whisperShape },
  'speech/recognise/whisper/hear-window.ts': {
    leastEncoded:
      'rule: of 4 and 7 words out of running speech as many are wrong as with all (373, 372 of 885; 371 with 1000, ' +
      '415 with 0)',
    encodedSilence:
      'rule: twice what is looked at; with 2 to 6 s as many words are wrong in nine conditions (338, 336, 333; 350 ' +
      'with all)',
  },
  'speech/recognise/whisper/is-said.ts': {
    mostCompression: whisper,
    leastMeanLogProbability: whisper,
    mostNoSpeech: whisper,
    likely: hidden,
    leastTold:
      'rule: English hoarse, whispered and with music under it .89 and more in 5 to 6 s, one Spanish voice made so ' +
      '.27 to .78; music and noise at most .46, in 30 s .63',
    untold:
      'measured: an owl, a saxophone, a tuba and a blues .12 to .74 with -1.9 and less or circles; 27 recordings of ' +
      'voices and ten of Bengali none of both (bench/speech/invented.ts)',
    leastOfEnglish: 'rule: whispers have -.1 to -.5 a token of text, by the multilingual Whisper',
  },
  'speech/recognise/whisper/read-windows.ts': {
    temperatures: whisper,
    leastCommonWords: 'bound of work: which pieces are read again; the network decides',
    runawayShare: 'bound of work: longer readings are not taken',
    doubtfulLogProbability:
      'tuned: jfk, austen, acoustic_corpus by telephone at five speeds, in noise (words wrong 86, 82 at -.25, 74)',
  },
  'speech/recognise/whisper/spoken-in.ts': {
    inTwo: 'measured: windows of English and German .07 to .4 of the second, of one language .001 to .02',
  },
  'speech/recognise/whisper/two-languages.ts': {
    leastSeconds: 'rule: shorter voices told none or a wrong one in ten made recordings of two languages',
    doubtful: 'measured: voices read in a wrong language have -.51 to -1.01, in their own -.01 to -.37',
    mostAsked: 'bound of work: each costs a short encoding',
  },
  'speech/recognise/windows/read-regions.ts': { listeningShare: progress },
  'speech/recognise/whisper/recognise-whisper.ts': {
    windowsPerGroup: work,
    firstGroups: work,
    windowsPerFirstGroup: work,
    windowsPerRuntimeGroup: work,
    fewestGroups: work,
    longWindows: work,
    whisperThreadBytes: memory,
    toldShare: 'rule: as otherWeight of one window',
    faintWindowsToTry: 'bound of work: as many as tell the language',
    wordMarginSeconds: 'bound of work: only sound around words is read again',
  },
  'speech/recognise/windows/find-windows.ts': {
    doubtAt: 'rule: two voices with a cold in pink noise at 5 and 10 dB against noise, hum and faint bursts of 300 s',
    leastDoubtShare: 'rule: between 0.03 % in noise and 1.95 % in hoarse voices',
    leastVoiceSeconds: faint,
    leastVoiceShare: 'bound of work: recordings with more voice are not listened to again',
  },
  'speech/transcribe/not-understood.ts': {
    leastSpeech:
      'rule: of stretches of 1 s of noise and animals .013 are speech by it (held out); false warnings of a whole ' +
      'run were not counted',
    leastPatches: 'rule: two seconds of speech; single barks and shouts are one or two',
    hopRows: "format: the listener's usual step",
    hopSeconds: "format: the listener's usual step",
  },
  'speech/recognise/windows/loud-gaps.ts': {
    leastSeconds: 'bound of work: a recogniser tells whether there are words',
    leastShare: 'bound of work: a voice with a cold beside a beat that is 19 dB louder is tried; softer pauses are not',
    silentRms: 'bound of work: three steps of 16 bits',
    levelSeconds: 'bound of work: the level of a minute of voices is that of all',
  },
  'speech/recognise/whisper/stored-weights.ts': {
    blockSize: "format: ONNX Runtime's MatMulNBits, blocks of 32",
    '[float32, int8]': 'format: ONNX TensorProto.DataType',
    middle: "format: ONNX Runtime's MatMulNBits, unsigned bytes around 128",
  },
  'speech/recognise/whisper/beam.ts': {
    width: 'bound of work: word error by telephone with 2, 3 and 5 readings .083, .076 and .079',
  },
  'speech/recognise/whisper/rules.ts': { secondsPerTimestamp: whisperShape },
  'speech/recognise/whisper/q8-encoder.ts': { mostEncoderBytes: memory },
  'speech/recognise/whisper/shared-network.ts': {
    attentionParts: memory,
    mostLoading: memory,
    pollMs: work,
    patienceMs: 'bound of waiting: twenty times what loading takes',
  },
  'speech/recognise/windows/windows.ts': {
    longestSeconds: `${whisperShape} hears 30 s; two tenths are left for rounding`,
  },
  'speech/recognise/parakeet/features.ts': {
    hopFrames: nemo,
    windowFrames: nemo,
    transformFrames: nemo,
    bins: 'identity: half a transform and one',
    preEmphasis: nemo,
    floor: nemo,
    leastDeviation: nemo,
    tile: work,
    linearHz: "published: Slaney's mel scale (Auditory Toolbox, 1998)",
    breakHz: "published: Slaney's mel scale (Auditory Toolbox, 1998)",
    logStep: "published: Slaney's mel scale (Auditory Toolbox, 1998)",
  },
  'speech/recognise/parakeet/parakeet.ts': {
    leastSamples: 'identity: two rows of features, of which a deviation needs two',
  },
  'speech/activity/activity-task.ts': {
    stepSamples: silero,
    contextSamples: silero,
    stateLength: silero,
    usualRms: 'rule: a louder recording stays as it is, to the bit',
    raisedRms: raised,
    loudShare: soft,
    mostGain: 'rule: with 300 no word was heard in 60 s each of 16 noises and silences',
    stepsPerRead: work,
  },
  'speech/activity/without-noise.ts': { framesRead: memory, threadBytes: memory },
  'speech/activity/find-speech.ts': {
    stepsPerRow: work,
    stepsPerStretch: work,
    startsAt: "tuned: Silero's published default (threshold 0.5)",
    goesOnAt: "tuned: Silero's published default (threshold less 0.15)",
    threadBytes: memory,
  },
  'speech/activity/is-steady.ts': {
    frameSeconds: 'usual length of frames of speech',
    leastRiseDb: 'tuned: the most with which no speech of the samples in noise 3 and 5 dB louder is lost',
    leastSeconds: 'tuned: less than the shortest words of acoustic_corpus',
    silenceDbfs: 'identity: below the last bit of 16 bits (-96 dBFS)',
    framesRead: memory,
  },
  'speech/fillers/is-claimed.ts': {
    mostOfCut: 'rule: cuts of true hesitations overlap words by up to .48 of their length, at 10 dB of noise',
    mostOfWord: 'rule: with mostOfCut',
  },
  'speech/transcribe/other-transcript.ts': {
    fewestWords: 'rule: of fewer words a stretch of another recording may have as many',
    mostSecondsMore: 'rule: containers round lengths, and encoders add up to .1 s of silence',
    sameSeconds: 'identity: two frames of a millisecond',
    stretchSeconds: 'size: what a recogniser reads at once, less than its window of 30 s',
  },
  'speech/transcribe/only-prompted.ts': {
    tempoReach: 'rule: with leastLeft',
    leastLeft:
      'rule: on acoustic_corpus: three quarters of 55 false hesitations and repetitions have less than .5, true ones ' +
      '.61 and more, but for one at 10 dB of noise; of 19 recordings it alone is read otherwise than with .5, and with ' +
      '.3 a word is cut (0.14 to 0.29 s)',
  },
};
