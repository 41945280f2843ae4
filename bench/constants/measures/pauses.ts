// Pauses that remove_silence finds by level, against words that a phonetician marked; as recorded, in noise, and edited
// with digital silence between takes. And the noise floor that analyze_audio reads, against the noise that was added.
import { findPauses } from '../../../src/library/dsp/pauses/pauses.ts';
import { quietestMeanSquare } from '../../../src/library/dsp/pauses/silences.ts';
import { highPassForMeasuring } from '../../../src/library/dsp/spectrum/high-pass.ts';
import { createEnvelope } from '../../../src/library/kernels/envelope.ts';
import { speechRate } from '../../../src/library/speech/speech-sound.ts';
import { seeded } from '../../../test/fixtures/random.ts';
import type { CutPiece } from '../../../test/fixtures/sounds/cut-measures.ts';
import { figure, type Measure } from '../figures.ts';
import { acousticRecordings } from './spoken-material.ts';

const hopSeconds = 0.005;
const rumbleHz = 90;

function envelopeOf(plane: Float32Array): Float32Array {
  const envelope = createEnvelope({ sampleRate: speechRate, channels: 1, hopSeconds });
  const filter = highPassForMeasuring(rumbleHz);
  filter.open({ sampleRate: speechRate, channels: 1, layout: 'mono' });
  const push = ({ planes, frames }: { readonly planes: readonly Float32Array[]; readonly frames: number }): void =>
    envelope.push(planes, frames);
  filter.process({ planes: [plane], frames: plane.length }, push);
  filter.flush(push);
  filter.close();
  return envelope.finish().meanSquare;
}

/** Every second long pause without a sample, as editors leave it. */
function edited(plane: Float32Array, gaps: readonly CutPiece[]): Float32Array {
  const out = plane.slice();
  for (const { startSeconds, endSeconds } of gaps.filter((_, at) => at % 2 === 0))
    out.fill(0, Math.round((startSeconds + 0.1) * speechRate), Math.round((endSeconds - 0.1) * speechRate));
  return out;
}

/** Shorter ones are within a phrase. */
const leastGapSeconds = 0.3;

function gapsBetween(sounds: readonly CutPiece[], end: number): CutPiece[] {
  const gaps: CutPiece[] = [];
  let at = 0;
  for (const { startSeconds, endSeconds } of [...sounds, { startSeconds: end, endSeconds: end }]) {
    if (startSeconds - at >= leastGapSeconds) gaps.push({ startSeconds: at, endSeconds: startSeconds });
    at = Math.max(at, endSeconds);
  }
  return gaps;
}

const overlap = (a: CutPiece, b: CutPiece): number =>
  Math.max(0, Math.min(a.endSeconds, b.endSeconds) - Math.max(a.startSeconds, b.startSeconds));
const shared = (a: readonly CutPiece[], b: readonly CutPiece[]): number =>
  a.reduce((sum, one) => sum + b.reduce((own, other) => own + overlap(one, other), 0), 0);

export const measure: Measure = async () => {
  let [words, lost, pauses, kept, floorsOff, floors] = [0, 0, 0, 0, 0, 0];
  for (const { name, sound, words: marked, fillers } of await acousticRecordings()) {
    const sounds = [...marked, ...fillers].toSorted((a, b) => a.startSeconds - b.startSeconds);
    const gaps = gapsBetween(sounds, sound.durationSeconds);
    const plane = sound.read(0, sound.frames);
    sound.close();
    const planes = [plane, ...(name.endsWith('clean') ? [edited(plane, gaps)] : [])];
    for (const one of planes) {
      const { pauses: found } = findPauses(envelopeOf(one), hopSeconds, one.length / speechRate);
      const long = found.filter(({ startSeconds, endSeconds }) => endSeconds - startSeconds >= leastGapSeconds);
      words += sounds.reduce((sum, word) => sum + word.endSeconds - word.startSeconds, 0);
      lost += shared(sounds, long);
      pauses += gaps.reduce((sum, gap) => sum + gap.endSeconds - gap.startSeconds, 0);
      kept += gaps.reduce((sum, gap) => sum + gap.endSeconds - gap.startSeconds, 0) - shared(gaps, long);
    }
    for (const dbfs of [-50, -60, -70]) {
      const random = seeded(-dbfs);
      const amplitude = Math.sqrt(3) * 10 ** (dbfs / 20);
      const quiet = edited(plane, gaps).map((x) => x + amplitude * (2 * random() - 1));
      const read = 10 * Math.log10(quietestMeanSquare(envelopeOf(quiet), hopSeconds));
      floorsOff += Math.abs(read - dbfs);
      floors += 1;
    }
  }
  return [
    figure('speech cut away', (100 * lost) / words, '%', 'lower', 2),
    figure('pauses left', (100 * kept) / pauses, '%', 'lower', 1),
    figure('noise floor off', floorsOff / floors, 'dB', 'lower', 2),
  ];
};
