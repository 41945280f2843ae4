// Constants of src/library/dsp that no measure chose: see speech.ts.
const deepFilterNet = 'network: DeepFilterNet3 (Schröter et al. 2023), the configuration of its published weights';
const rnnoise = 'network: RNNoise 0.2 (Valin 2018), its frame, lag and range';
const transform = 'size of a transform; everything else is counted in its frames';
const bandwidthNet = 'trained with the network: bench/quality/voice-envelope.ts wrote both';
const work = 'bound of work: the result does not depend on it';
const steps = 'bound of work: secant steps settle in two to four';
const memory = 'bound of memory: what `npm run test:machines` prints';
const yamnet = 'network: YAMNet (Google), its patches, bands and classes';
const listened =
  'measured: recordings of speech, instruments, songs, noises and animals, a half for choosing, a half for judging';
const musicBeds =
  'measured: music, far voices and noise in pauses at -36 and -45 dBFS (bench/tools/level-beds.ts); 78 of 78 beds, 0 ' +
  'of 78 noises';
const ten = "identity: RNNoise's and DeepFilterNet's frame, 10 ms at 48 kHz";

const rareSound =
  'tuned: speech of 0.5 to 9 % of a room or of silence, a knock, soft music with loud chords ' +
  '(test/library/tools/remove-silence.test.ts)';

const twoVoices =
  'tuned: pairs of five read voices (bench/quality/two-voices.ts), with none of 70 mixtures worse ' +
  '(bench/quality/run.ts)';
/** Of creaks in `lost-voice.ts`. */
const creakingEnds =
  'tuned: creaks made at the ends of sentences (bench/quality/creaking-ends.ts), with none of 70 mixtures worse ' +
  '(bench/quality/run.ts)';

const bled = 'tuned: with bench/tools/bleed.ts: eleven set-ups of two and three voices';

const strokes = 'measured: 36 pieces and 33 machines and noises; judged on 57 pieces and 71 noises';
const ringing =
  'tuned: with bench/tools/bleed.ts --grid on one half of its rooms and voices: 1 of 540 tracks ends worse than it ' +
  'came, of the other half 0 of 432 (before 171, 93)';

const clippingTable =
  'tuned: on 16 recordings, plain, limited and clipped (docs/decisions/service/0053); test/library/dsp/repair.test.ts';
const humTable =
  'tuned: with 50 and 60 Hz under voices and music, and 23 sounds without hum (docs/decisions/service/0053); ' +
  'test/library/dsp/repair.test.ts';
const doubtTable =
  'measured: eleven pieces of music, seventeen machines, a voice in a room of 0.9 s (docs/decisions/service/0053)';
const opinions =
  'measured: blind opinion scores of recordings that were not used to choose it (docs/decisions/service/0053)';

const pauseSteps =
  'tuned: steps of the noise over 3 dB in 0.2 s in pauses over 1 s of built conversations, 122 of 131 to 4, with no turn ' +
  'further off (bench/tools/level-turns.ts)';

export const dsp: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'dsp/gain/leveling.ts': { gentleDbPerSecond: pauseSteps, softerShare: pauseSteps },
  'dsp/voice/plan.ts': { leastT60Seconds: opinions, leastRoomSnrDb: opinions, leastBalanceDb: opinions },
  'dsp/voice/dereverberate.ts': { floorDb: opinions },
  'dsp/repair/clipping.ts': {
    tileFrames: work,
    nearSteps: clippingTable,
    nearShare: clippingTable,
    cornerFactor: clippingTable,
    leastRun: clippingTable,
    leastRuns: clippingTable,
    leastLongest: clippingTable,
    leastTop: clippingTable,
  },
  'dsp/repair/decimate.ts': { lobes: 'filter: stop band of a Hann window over ten zero crossings' },
  'dsp/repair/declip.ts': {
    frameSeconds: clippingTable,
    mostFrame: 'bound: the longest frame that the kernel takes',
    hopsPerFrame: 'paper: Kitic, Bertin, Gribonval 2015: frames overlap by three quarters',
    batch: work,
    mostRounds: work,
    never: 'range: above every sample',
  },
  'dsp/repair/hum-estimate.ts': {
    phaseHarmonics: humTable,
    phaseSeconds: humTable,
    phaseRounds: humTable,
    phaseReach: humTable,
    frequencyReach: humTable,
    mostDriftHz: humTable,
    quietPhase: humTable,
    highestHz: humTable,
    sizeSeconds: humTable,
    blocksPerStep: humTable,
    sizeReachSeconds: humTable,
    nearBlocks: humTable,
    quietSize: humTable,
    weightPower: humTable,
    quietQuarter: humTable,
    leastCoherence: humTable,
  },
  'dsp/repair/hum.ts': {
    listenHz: 'identity: over four times the eighth harmonic of 60 Hz',
    harmonics: humTable,
    mainsHz: 'standard: IEC 60196, frequencies of mains',
    reachHz: humTable,
    longFrame: 'size of a transform: 4 s at 2 kHz',
    paddedFrame: 'size of a transform: twice the window',
    quietShare: humTable,
    besideFromHz: humTable,
    besideToHz: humTable,
    mostExcessDb: humTable,
    leastWindows: humTable,
    shortSeconds: humTable,
    shortHops: humTable,
    swayingDb: humTable,
    lowShare: humTable,
    midShare: humTable,
    farDb: humTable,
    besideShare: humTable,
    besideBins: humTable,
    leastSteady: humTable,
    batch: work,
  },
  'dsp/repair/level-histograms.ts': {
    lowestDb: 'range of what may be counted',
    classes: 'range: a class a decibel',
  },
  'dsp/repair/interpolate.ts': { interpolatorReach: 'filter: stop band of a Hann window over twenty samples' },
  'dsp/repair/hop-levels.ts': {
    hopsPerSecond: 'identity: a quarter of a millisecond; everything else is counted in its hops',
  },
  'dsp/repair/click-candidates.ts': {
    part: 'identity: up to 2^24 whole numbers are exact as 32-bit floats',
    columns: 'identity: values of a candidate',
  },
  'dsp/repair/clicks.ts': { stretch: work },
  'dsp/repair/plosives.ts': {
    slowHz: 'identity: ten times the highest rate of a pressure pulse; everything else is counted in its values',
    stretch: work,
  },
  'dsp/repair/remove-clicks.ts': {
    settleSeconds: 'identity: over thirty times what the filters remember',
    highShare: 'identity: power of white noise behind the high-pass at 48 kHz',
  },
  'dsp/repair/pressure-pulse.ts': {
    noiseOfPulse: 'range: keeps the matrix positive definite',
    noiseOfVoice: 'range: keeps the matrix positive definite',
  },
  'dsp/repair/linear-prediction.ts': {
    noiseShare: 'tuned: with bench/quality/bursts.ts: 1e-9 predicts empty bands too surely, 4 dB lost',
  },
  'dsp/repair/remove-hum.ts': {
    estimateHz: 'identity: over twice the highest harmonic that is taken out',
    segmentSeconds: humTable,
    contextSeconds: humTable,
    fadeSeconds: humTable,
  },
  'dsp/voice/voice-found.ts': {
    judgedLufs: 'measured: voices and drums at several levels (test/library/tools/voice/remove-noise-no-voice.test.ts)',
    nextChannel: 'bound: neither sides nor channels of opposite phase cancel',
  },
  'dsp/voice/voice-in-doubt.ts': {
    leastLeftDb: doubtTable,
    surelyVoicedShare: doubtTable,
  },
  'dsp/voicing/speech-activity.ts': {
    quietestFloorLufs: 'standard: the absolute gate of ITU-R BS.1770-5',
    leastVoicedShare: 'tuned: measured on speech (0.22 to 0.5) and noise (at most 0.09), docstring',
  },
  'dsp/voicing/timbre.ts': {
    timbreSize: 'paper: Davis and Mermelstein 1980, mel-frequency cepstra 1 to 12',
    spectra: 'identity: two spectra of 32 ms are one frame of 64 ms',
    leastShare: 'bound: keeps a logarithm finite',
  },
  'dsp/voicing/tone-steadiness.ts': {
    size: 'size of a transform: 64 ms at 8 kHz, which tells harmonics of a voice apart',
    step: 'size of a transform: half of its length',
    windows: 'bound of work: the result does not depend on it',
    workingRate: 'the band of telephone speech, twice 4 kHz',
  },
  'dsp/denoise/steady/log-mmse.ts': {
    euler: "identity: Euler's constant",
    upper: 'standard: Abramowitz and Stegun 5.1.56',
    lower: 'standard: Abramowitz and Stegun 5.1.56',
    leastLog: 'identity: the gain is at its least there',
    mostLog: 'identity: the rest of the integral is below 1e-23',
    steps: 'bound of memory: the table is interpolated, and exact within 1e-4',
    table: 'identity: values of a function',
  },
  'dsp/denoise/steady/remove-steady.ts': {
    priorMemory: 'paper: Ephraim and Malah 1984, decision-directed',
    leastPrior: 'paper: Cappé 1994, elimination of the musical noise phenomenon',
    mostPosterior: 'identity: the gain is 1 from there on',
  },
  'dsp/denoise/steady/steady-noise.ts': {
    meanOverMinimum: 'identity: measured on a minute of white noise for the lengths above',
  },
  'dsp/denoise/deepfilternet/apply.ts': { taps: deepFilterNet, filterReach: deepFilterNet },
  'dsp/denoise/deepfilternet/features.ts': {
    frameSamples: deepFilterNet,
    hopSamples: deepFilterNet,
    bins: 'identity: half a transform and one',
    bandCount: deepFilterNet,
    filteredBins: deepFilterNet,
    binHz: 'identity: 48 kHz by the length of the transform',
    leastBandBins: deepFilterNet,
    memory: `${deepFilterNet}: exp(-0.01), rounded as in its training`,
  },
  'dsp/denoise/deepfilternet/network-tasks.ts': {
    stateLength: deepFilterNet,
    encoderLookBack: deepFilterNet,
    filterLookBack: deepFilterNet,
    channels: deepFilterNet,
    streamingChanges: deepFilterNet,
  },
  'dsp/denoise/deepfilternet/piece-input.ts': { lookAhead: deepFilterNet },
  'dsp/denoise/deepfilternet/suppressor.ts': { piecesUnderWay: work },
  'dsp/denoise/engines.ts': {
    rnnoise: 'measured: the level at which RNNoise gains most (bench/quality/run.ts --levels)',
  },
  'dsp/denoise/denoise-stages.ts': { threadBytes: memory, worthThreadsSeconds: work },
  'dsp/denoise/passages/lost-voice.ts': {
    leastCreakHops: creakingEnds,
    loudCreak: creakingEnds,
    creakRippleDb: creakingEnds,
    overlapStandsOut: twoVoices,
    overlapLoud: twoVoices,
    overlapLoudHops: twoVoices,
    lostOverlapShare: twoVoices,
    leastOverlapHops: twoVoices,
    overlapStandInShare: twoVoices,
    overlapClearlyMore: twoVoices,
  },
  'dsp/denoise/passages/power-ear.ts': { hopFrames: ten },
  'dsp/denoise/passages/passage-report.ts': { mostNamed: 'length of a message; nothing else depends on it' },
  'dsp/denoise/passages/struck-seconds.ts': {
    leastFloorDb: strokes,
    leastDecayDb: strokes,
    leastSpeech: listened,
    leastAnimal: strokes,
  },
  'dsp/denoise/passages/musical-seconds.ts': {
    leastMusical: listened,
    leastMusic: 'measured: nineteen pieces .77 and more, machines by script up to .45 but for two',
    leastStruck: 'measured: castanets .31; the same pieces and machines',
    leastOfAny: 'measured: a bell .98; 36 pieces, 32 noises and six voices, of which nothing else changed',
    leastSecondsOver: 'rule: talk and music beside each other share a second',
    leastVoice: 'measured: nineteen pieces up to .01, speech over music and in hum from .16 on',
    reachSeconds: listened,
    leastSwingDb: 'measured: eleven pieces of music, 1.5 dB and more; a hum, a fan, a printer and a saw, 0 to 0.5',
    leastAtEdge: 'chosen: five pieces between talk and silence; a second before music has less',
    musicalReachSeconds: 'identity: the sum of what the answer looks at',
  },
  'dsp/denoise/passages/what-is-heard.ts': {
    halfSecond: yamnet,
    halfSecondRows: yamnet,
    aheadFrames: 'identity: half of what two patches are longer than a second',
    leastPower: 'chosen: no sound at all, 10 dB below what is still heard as a voice',
    leastAnimal: listened,
    leastBang: listened,
    leastSignal: listened,
  },
  'dsp/denoise/rnnoise/open-rnnoise.ts': { sizes: rnnoise, '[blockOutputs, blockInputs]': rnnoise },
  'dsp/denoise/rnnoise/segment-planes.ts': { stretch: work },
  'dsp/denoise/rnnoise/segment-task.ts': {
    framesPerLook: work,
    transformFrame: transform,
    batch: work,
  },
  'dsp/denoise/rnnoise/suppressor.ts': { builtInHighPass: 'network: rnnoise_process_frame in denoise.c of RNNoise' },
  'dsp/denoise/rnnoise/voice-guard.ts': { frameSamples: rnnoise },
  'dsp/denoise/suppressor/sample-window.ts': { chunkFrames: work, mostSpare: work },
  'dsp/denoise/suppressor/suppressor.ts': { suppressorRate: 'network: RNNoise and DeepFilterNet3 both take 48 kHz' },
  'dsp/gain/music-beds.ts': {
    askedFromDb: musicBeds,
    leastMusic: 'measured: music behind the last words at -45 dBFS .20 and .22; none of 518 pieces of voices has it',
    leastSpeech: 'measured: with .2 two of seven far voices are music, with .1 none (bench/tools/level-beds.ts)',
    edgeSeconds: musicBeds,
    mostSeconds: memory,
    mostRounds: work,
    pause: 'measured: of 714 pieces of voices of half a second and more none is music, of 359 shorter ones 4 are',
  },
  'dsp/listener/listener.ts': {
    listenerRate: yamnet,
    patchSamples: yamnet,
    bands: yamnet,
    patchRows: yamnet,
    patchHopRows: yamnet,
    patchesPerRun: work,
    heardDbfs: 'measured: scores of speech, music and applause from -16 to -56 dBFS; soft sound is not heard',
  },
  'dsp/listener/sound-classes.ts': {
    classCount: yamnet,
    speechClasses: yamnet,
    whisperClass: yamnet,
    cowbellClass: yamnet,
    humanClasses: yamnet,
    musicClass: yamnet,
    musicalClasses: yamnet,
    struckClasses: yamnet,
    animalClasses: yamnet,
    sureAnimalClasses: 'measured: 260 sounds of voices that a suppressor lost; none of theirs is left',
    bangClasses: yamnet,
    signalClasses: yamnet,
  },
  'dsp/voice/music-behind.ts': {
    leastMusic: 'measured: 124 pieces of music, nine in ten over it; rain with music far away, .4 to .56',
    edgeSeconds: musicBeds,
    leastPauseSeconds: musicBeds,
    mostPauseSeconds: memory,
    reachSeconds: 'chosen: a bed begins and ends with a scene, and one pause is little',
  },
  'dsp/listener/who-is-heard.ts': {
    leastSpeech: listened,
    leastMusical: listened,
    leastHuman: 'measured: 20 animals, 4 noises and 8 voices that creak, laugh, whisper, sing or are hoarse',
    leastPatches: listened,
    leastShare: listened,
  },
  'dsp/gain/dominance.ts': { overBleedDb: ringing },
  'dsp/gain/bleed-paths.ts': {
    roomSeconds: 'range: living rooms to halls',
    mostHops: work,
    blockHops: work,
    floorShare: ringing,
    ownOverDb: ringing,
    rounds: work,
    steps: work,
  },
  'dsp/gain/bleed.ts': {
    mostMoments: work,
    purestShare: bled,
    rounds: bled,
    leastApartDb: bled,
    oneVoiceDb: bled,
    leastBelowDb: bled,
    leastShare: bled,
  },
  'dsp/pauses/pauses.ts': {
    rarestShare: rareSound,
    rarestSeconds: rareSound,
    roomDb: rareSound,
    leastRoomShare: rareSound,
  },
  'dsp/pauses/silences.ts': { floorWindowSeconds: 'tuned: half a second, as ACX checkers measure it' },
  'dsp/loudness/acx.ts': { acxLimits: "standard: ACX's audio submission requirements" },
  'dsp/spectrum/offset.ts': {
    leastShareOfPeak: 'bound: 20 log10(1.05) is 0.4 dB of the room of the peaks',
    slowestHz: 'tuned: two octaves below what is heard (20 Hz)',
  },
  'dsp/loudness/unmeasured.ts': { blockSeconds: 'standard: ITU-R BS.1770-5, length of a gating block' },
  'dsp/loudness/reach-loudness.ts': {
    loudnessToleranceDb: 'contract: adjust_loudness is within 0.1 LU of its target',
    mostEncodes: 'bound of work: a third where the second one is still over the ceiling',
    trimDb: 'ten made voices and pieces at -11 to -9 LUFS as M4A: peaks up to -.4 dBTP without, under -.95 with it',
    mostTrims: steps,
    deepestWithinDb: 'resolution: a quarter of a decibel of 15; all who ask for more get the same',
    roundingDb: 'ten times the 0.0005 dB by which the limiter ended over its ceiling in 60 runs of the tests',
    mostSettlingPasses: steps,
    leastSlope: 'bound of work: no step is longer than seven times what is missing',
    mostSampleSteps: steps,
    nearDb: 'resolution: what a sample says of the whole is seldom nearer',
    sampleAimDb: 'resolution: less than what a pass over the whole is aimed at',
    aimAgainDb: 'resolution: a little more than aimDb, under loudnessToleranceDb',
    lossyHeadroomDb: '13 recordings as MP3 and M4A: 1.46 encodes at 0.4, 1.13 at 0.8, 1.15 at 1.0; six more 1.96, 1.63',
    leastHeadroomDb: 'the same 13 recordings: where the limiter takes all it may, two more miss the target at 0.8',
    deepestLimitingDb: 'bound: the level that a limiter takes at most; from some 15 dB on it takes a decibel for each',
    deepLimitingDb: '16 recordings at -16 and -14 LUFS: peaks of 15 lie less far over, of one, with a click, 24 dB',
    overshootSpreadDb: '90 encodes of 6 recordings at -13 to -9 LUFS: over the ceiling at 0.5 in 3, at 0.25 in 12',
  },
  'dsp/loudness/reductions.ts': {
    hopSeconds: 'resolution: finer than the 5 ms in which the limiter falls',
    least: 'resolution: -60 dBFS, under which samples do not tell the gain they were given',
    hopsPerPart: 'bound of work: the result does not depend on it',
    besideSeconds: 'resolution: one more than the 5 ms in which the limiter falls',
    apartSeconds: 'bound of work: dips this near to each other are encoded again as one',
  },
  'dsp/series/level-histogram.ts': {
    stepDb: 'resolution: finer than any level is shown',
    lowestDb: 'range of what may be counted; all levels are within it',
    highestDb: 'range of what may be counted; all levels are within it',
  },
  'dsp/series/principal-axis.ts': { rounds: 'bound of work: power iteration has settled long before' },
  'dsp/spectrum/bandwidth.ts': { looks: 'bound of work: a few hundred looks tell any bandwidth' },
  'dsp/voice/balance.ts': { reach: transform },
  'dsp/voice/compress.ts': { hopFrames: '10 ms at 48 kHz; everything else is counted in it' },
  'dsp/voice/high-band-envelope.ts': {
    heardEdgesHz: bandwidthNet,
    highEdgesHz: bandwidthNet,
    heardBands: 'identity: one less than there are edges',
    highBands: 'identity: one less than there are edges',
    nowFeatures: 'identity: bands, level and flatness',
    features: 'identity: now and averaged',
    memory: bandwidthNet,
  },
  'dsp/voice/high-band-weights.ts': { hiddenUnits: bandwidthNet, tenThousandths: bandwidthNet },
  'dsp/voice/ltass.ts': { averageSpeechSpectrum: 'paper: Byrne, Dillon, Tran et al., JASA 96 (1994), Table II' },
  'dsp/voice/restorer.ts': {
    restorerRate: 'contract with the network that an operator gives (docs/models.md)',
    factor: 'contract with the network that an operator gives (docs/models.md)',
    tried: 'contract with the network that an operator gives (docs/models.md): 1 to 10 s',
  },
  'dsp/voice/room.ts': { bands: 'identity: one less than there are edges' },
  'dsp/voice/spectral-stage.ts': {
    voiceRate: 'rate at which everything is done to a voice: that of the noise suppressors',
    frameSamples: transform,
    hopSamples: transform,
    bins: 'identity: half a transform and one',
    batch: work,
    forwardScale: 'identity: one by the length of the transform',
    inverseScale: 'identity: of a window that is used twice, overlapped four times',
    powerScale: 'identity: of a one-sided spectrum under the window',
  },
  'dsp/voice/speech-profile.ts': {
    classDb: 'resolution of a histogram',
    classes: 'identity: classes from the lowest level to full scale',
    lowestDb: 'range of what may be counted',
  },
};
