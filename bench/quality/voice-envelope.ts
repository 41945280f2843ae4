// Fits the network that tells the highs of speech from its lower band, and says how well it does on speakers it has not
// heard.
//   node bench/quality/voice-envelope.ts           leave-one-speaker-out errors only
//   node bench/quality/voice-envelope.ts --write   also writes src/library/dsp/voice/high-band-weights.ts
// Deterministic: the same weights every time.
import { existsSync, writeFileSync } from 'node:fs';
import { dbToGain, powerToDb } from '../../src/library/core/levels.ts';
import { balanceFor, gainAt } from '../../src/library/dsp/voice/balance.ts';
import {
  createFrameReader,
  features,
  highBands,
  highEdgesHz,
  predictLevels,
} from '../../src/library/dsp/voice/high-band-envelope.ts';
import { hiddenUnits } from '../../src/library/dsp/voice/high-band-weights.ts';
import {
  bandPower,
  compareWithAverage,
  meterSpeechProfile,
  type SpeechProfile,
} from '../../src/library/dsp/voice/speech-profile.ts';
import { binHz, binOf, bins, createSpectrumReader, voiceRate } from '../../src/library/dsp/voice/spectral-stage.ts';
import { sample } from './mixtures.ts';
import { resampled, seeded, telephone } from './voice-cases.ts';

const weightCount = hiddenUnits * features + hiddenUnits + highBands * hiddenUnits + highBands;

const samples = new URL('../../../shared/samples/', import.meta.url).pathname;
/** Recordings by speaker, and up to where they have sound of their own, Hz. */
const recordings = [
  { speaker: 'clean', file: 'noise/clean_speech_48k.wav', upToHz: 20_000, weight: 2 },
  { speaker: 'sonnet', file: 'speech/sonnet001.mp3', upToHz: 10_000, weight: 1 },
  { speaker: 'austen', file: 'speech/austen-0870.wav', upToHz: 6500, weight: 1 },
  { speaker: 'austen', file: 'speech/austen-0880.wav', upToHz: 6500, weight: 1 },
  { speaker: 'austen', file: 'speech/austen-0890.wav', upToHz: 6500, weight: 1 },
  { speaker: 'mfa', file: 'fillers/um.flac', upToHz: 6500, weight: 1 },
  { speaker: 'mfa', file: 'fillers/uh.flac', upToHz: 6500, weight: 1 },
  { speaker: 'corpus', file: 'fillers/acoustic_corpus.wav', upToHz: 6500, weight: 1 },
];

/** Which feature is the frame's level. */
const levelFeature = 7;

interface Example {
  readonly speaker: string;
  readonly input: Float64Array;
  /** dB / 10 against 300 to 3100 Hz; NaN where the recording has nothing. */
  readonly target: Float64Array;
  readonly weight: number;
}

function profileOf(plane: Float32Array): SpeechProfile {
  const meter = meterSpeechProfile();
  meter.open({ sampleRate: voiceRate, channels: 1, layout: 'mono' });
  meter.process({ planes: [plane], frames: plane.length }, () => undefined);
  meter.flush(() => undefined);
  return meter.result();
}

/** A recording's frames: the lower band as it is heard in `heard`, the highs as they are in `plane`. */
function framesOf(
  { speaker, upToHz, weight }: (typeof recordings)[number],
  plane: Float32Array,
  heard: Float32Array,
): Example[] {
  const [original, profile] = [profileOf(plane), profileOf(heard)];
  const points = balanceFor(profile.activePower, 300, 3400);
  const gains = Float64Array.from({ length: bins }, (_, bin) =>
    points ? dbToGain(2 * gainAt(points, Math.max(1, bin * binHz))) : 1,
  );
  // The speaker's own highs against the average, so that the network learns the average's.
  const excess = compareWithAverage(original.activePower);
  const own = Float64Array.from({ length: highBands }, (_, band) => {
    const inside = excess.filter(
      ({ centreHz }) =>
        centreHz >= (highEdgesHz[band] as number) * 0.9 && centreHz <= (highEdgesHz[band + 1] as number) * 1.1,
    );
    return inside.reduce((sum, { excessDb }) => sum + excessDb, 0) / Math.max(1, inside.length);
  });
  const scale = bandPower(profile.activePower, 500, 2500) / bandPower(original.activePower, 500, 2500);
  const reader = createFrameReader(profile.activeDb ?? 0);
  const examples: Example[] = [];
  const power = new Float64Array(bins);
  const look = createSpectrumReader(2, ([there, spectrum]) => {
    if (!spectrum || !there) return;
    for (let bin = 0; bin < bins; bin += 1)
      power[bin] = ((spectrum.re[bin] as number) ** 2 + (spectrum.im[bin] as number) ** 2) * (gains[bin] as number);
    const input = new Float64Array(features);
    const low = reader.read(power, input);
    if ((input[levelFeature] as number) < -2) return;
    const target = Float64Array.from({ length: highBands }, (_, band) => {
      if ((highEdgesHz[band + 1] as number) > upToHz) return Number.NaN;
      let sum = 1e-16;
      for (let bin = binOf(highEdgesHz[band] as number); bin < binOf(highEdgesHz[band + 1] as number); bin += 1)
        sum += scale * ((there.re[bin] as number) ** 2 + (there.im[bin] as number) ** 2);
      return Math.min(2, Math.max(-5.5, (powerToDb(sum / low) - (own[band] as number)) / 10));
    });
    examples.push({ speaker, input, target, weight });
  });
  look([plane, heard], plane.length);
  return examples;
}

/** Heard as it is, and by telephone. */
function examplesOf(recording: (typeof recordings)[number]): Example[] {
  const plane = sample(recording.file);
  const heard = new Float32Array(plane.length);
  heard.set(resampled(telephone(plane), 8000, voiceRate).subarray(0, plane.length));
  return [...framesOf(recording, plane, plane), ...framesOf(recording, plane, heard)];
}

/** Adam (Kingma, Ba 2015) on mini-batches, mean square error, weight decay. */
function fit(examples: readonly Example[], epochs: number): Float64Array {
  const random = seeded(20_261_121);
  const weights = Float64Array.from({ length: weightCount }, (_, at) =>
    at < hiddenUnits * features ? (random() - 0.5) * 0.6 : (random() - 0.5) * 0.3,
  );
  const [gradient, first, second] = [
    new Float64Array(weightCount),
    new Float64Array(weightCount),
    new Float64Array(weightCount),
  ];
  const [hidden, out, back] = [
    new Float64Array(hiddenUnits),
    new Float64Array(highBands),
    new Float64Array(hiddenUnits),
  ];
  const [biases, outer] = [hiddenUnits * features, hiddenUnits * features + hiddenUnits];
  const outBiases = outer + highBands * hiddenUnits;
  const order = Uint32Array.from(examples.keys());
  const batch = 64;
  let step = 0;
  for (let epoch = 0; epoch < epochs; epoch += 1) {
    for (let i = order.length - 1; i > 0; i -= 1) {
      const j = Math.floor(random() * (i + 1));
      [order[i], order[j]] = [order[j] as number, order[i] as number];
    }
    const rate = 0.003 * 0.5 * (1 + Math.cos((Math.PI * epoch) / epochs));
    for (let from = 0; from + batch <= order.length; from += batch) {
      gradient.fill(0);
      for (let i = from; i < from + batch; i += 1) {
        const { input, target, weight } = examples[order[i] as number] as Example;
        const level = 20 * (input[levelFeature] as number);
        predictLevels(weights, input, hidden, out);
        back.fill(0);
        for (let band = 0; band < highBands; band += 1) {
          if (Number.isNaN(target[band])) continue;
          // Loud highs are what is heard: errors there count more.
          const heard = Math.min(1, Math.max(0.1, 10 ** ((10 * (target[band] as number) + level + 10) / 25)));
          const error = (weight * heard * ((out[band] as number) / 10 - (target[band] as number))) / batch;
          gradient[outBiases + band] = (gradient[outBiases + band] as number) + error;
          for (let unit = 0; unit < hiddenUnits; unit += 1) {
            const at = outer + band * hiddenUnits + unit;
            gradient[at] = (gradient[at] as number) + error * (hidden[unit] as number);
            back[unit] = (back[unit] as number) + error * (weights[at] as number);
          }
        }
        for (let unit = 0; unit < hiddenUnits; unit += 1) {
          const error = (back[unit] as number) * (1 - (hidden[unit] as number) ** 2);
          gradient[biases + unit] = (gradient[biases + unit] as number) + error;
          for (let k = 0; k < features; k += 1)
            gradient[unit * features + k] = (gradient[unit * features + k] as number) + error * (input[k] as number);
        }
      }
      step += 1;
      for (let at = 0; at < weightCount; at += 1) {
        const g = gradient[at] as number;
        first[at] = 0.9 * (first[at] as number) + 0.1 * g;
        second[at] = 0.999 * (second[at] as number) + 0.001 * g * g;
        const move =
          (first[at] as number) / (1 - 0.9 ** step) / (Math.sqrt((second[at] as number) / (1 - 0.999 ** step)) + 1e-8);
        weights[at] = (weights[at] as number) - rate * (move + 0.02 * (weights[at] as number));
      }
    }
  }
  return calibrated(weights, examples);
}

/** Power that was told, against power that was there, by band, dB. */
function powerErrors(weights: Float64Array, examples: readonly Example[]): number[] {
  const [hidden, out] = [new Float64Array(hiddenUnits), new Float64Array(highBands)];
  const [told, there] = [new Float64Array(highBands), new Float64Array(highBands)];
  for (const { input, target, weight } of examples) {
    predictLevels(weights, input, hidden, out);
    const level = 20 * (input[levelFeature] as number);
    for (let band = 0; band < highBands; band += 1) {
      if (Number.isNaN(target[band])) continue;
      told[band] =
        (told[band] as number) + weight * dbToGain(2 * Math.min(20, out[band] as number)) * dbToGain(2 * level);
      there[band] = (there[band] as number) + weight * dbToGain(20 * (target[band] as number)) * dbToGain(2 * level);
    }
  }
  return [...told].map((power, band) => powerToDb(power / (there[band] as number)));
}

/**
 * A fit in decibels tells too little power, because it misses the strong hisses most: what is told is spread about the
 * level of voiced frames until the long-term power of each band is right, by a factor of 1 to 1.7.
 */
function calibrated(weights: Float64Array, examples: readonly Example[]): Float64Array {
  const outer = hiddenUnits * features + hiddenUnits;
  const outBiases = weightCount - highBands;
  const [hidden, out] = [new Float64Array(hiddenUnits), new Float64Array(highBands)];
  const [sums, counts] = [new Float64Array(highBands), new Float64Array(highBands)];
  for (const { input } of examples) {
    if ((input[levelFeature] as number) < -0.25) continue;
    predictLevels(weights, input, hidden, out);
    for (let band = 0; band < highBands; band += 1) {
      sums[band] = (sums[band] as number) + (out[band] as number) / 10;
      counts[band] = (counts[band] as number) + 1;
    }
  }
  for (let band = 0; band < highBands; band += 1) {
    const centre = (sums[band] as number) / (counts[band] as number);
    const spread = (factor: number): Float64Array => {
      const wider = weights.slice();
      for (let unit = 0; unit < hiddenUnits; unit += 1)
        wider[outer + band * hiddenUnits + unit] = factor * (weights[outer + band * hiddenUnits + unit] as number);
      wider[outBiases + band] = centre + factor * ((weights[outBiases + band] as number) - centre);
      return wider;
    };
    let [least, most] = [1, 1.7];
    for (let step = 0; step < 12; step += 1) {
      const middle = (least + most) / 2;
      if (!((powerErrors(spread(middle), examples)[band] as number) > 0)) least = middle;
      else most = middle;
    }
    weights.set(spread((powerErrors(weights, examples)[band] as number) > 0 ? 1 : least));
  }
  return weights;
}

/** Root mean square error by band, dB, beside that of always telling the band's mean. */
function errors(weights: Float64Array, examples: readonly Example[], means: Float64Array): string {
  const [hidden, out] = [new Float64Array(hiddenUnits), new Float64Array(highBands)];
  const sums = new Float64Array(3 * highBands);
  for (const { input, target } of examples) {
    predictLevels(weights, input, hidden, out);
    for (let band = 0; band < highBands; band += 1) {
      if (Number.isNaN(target[band])) continue;
      sums[3 * band] = (sums[3 * band] as number) + ((out[band] as number) - 10 * (target[band] as number)) ** 2;
      sums[3 * band + 1] =
        (sums[3 * band + 1] as number) + (10 * ((target[band] as number) - (means[band] as number))) ** 2;
      sums[3 * band + 2] = (sums[3 * band + 2] as number) + 1;
    }
  }
  return Array.from({ length: highBands }, (_, band) => {
    const [a = 0, b = 0, count = 0] = sums.subarray(3 * band, 3 * band + 3);
    return count === 0 ? '-' : `${Math.sqrt(a / count).toFixed(1)}/${Math.sqrt(b / count).toFixed(1)}`;
  }).join('  ');
}

const meansOf = (examples: readonly Example[]): Float64Array =>
  Float64Array.from({ length: highBands }, (_, band) => {
    const known = examples.filter(({ target }) => !Number.isNaN(target[band]));
    return known.reduce((sum, { target }) => sum + (target[band] as number), 0) / Math.max(1, known.length);
  });

if (!existsSync(samples)) {
  console.log(`No samples at ${samples}: nothing to fit to`);
} else {
  const examples = recordings.flatMap(examplesOf);
  const epochs = 40;
  console.log(
    `${examples.length} frames; error of the network / of the band's mean, dB, ` +
      `by band from ${highEdgesHz.join(', ')} Hz`,
  );
  for (const speaker of new Set(recordings.map((one) => one.speaker))) {
    const others = examples.filter((one) => one.speaker !== speaker);
    const weights = fit(others, epochs);
    const unheard = examples.filter((one) => one.speaker === speaker);
    console.log(`${speaker.padEnd(8)} unheard  ${errors(weights, unheard, meansOf(others))}`);
    console.log(
      `${''.padEnd(8)} power    ${powerErrors(weights, unheard)
        .map((error) => (Number.isNaN(error) ? '-' : error.toFixed(1)))
        .join('  ')}`,
    );
  }
  const weights = fit(examples, epochs);
  console.log(`all      fitted   ${errors(weights, examples, meansOf(examples))}`);
  if (process.argv.includes('--write')) {
    const numbers = [...weights].map((weight) => String(Math.round(weight * 10_000)));
    const lines: string[] = [];
    for (let at = 0; at < numbers.length; at += 16) lines.push(`  ${numbers.slice(at, at + 16).join(', ')},`);
    writeFileSync(
      new URL('../../src/library/dsp/voice/high-band-weights.ts', import.meta.url),
      `// Made by bench/quality/voice-envelope.ts. Do not edit.\nexport const hiddenUnits = ${hiddenUnits};\nconst ` +
        `tenThousandths = [\n${lines.join('\n')}\n];\n\n` +
        '/** See `predict` for their order. */\nexport const highBandWeights: ArrayLike<number> = ' +
        'Float64Array.from(tenThousandths, (weight) => weight / 10_000);\n',
    );
  }
}
