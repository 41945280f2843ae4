// For clipping.ts and hum.ts: sounds that are kept, stages run over them, and figures of what was repaired.
import { readFileSync } from 'node:fs';
import { compose } from '../../../src/library/pcm/compose.ts';
import type { Analyser, Stage } from '../../../src/library/pcm/stage.ts';
import { pieces } from '../../../test/fixtures/sounds/music.ts';
import { rate } from '../../quality/mixtures.ts';
import { sdr } from '../../quality/repair-cases.ts';
import { figure, type Figure } from '../figures.ts';
import { storedSound } from '../store.ts';

export type Sound = Float32Array<ArrayBuffer>;

/** A sound at 48 kHz that is made once. */
export async function kept(name: string, make: () => Float32Array): Promise<Sound> {
  const { buffer, byteOffset, length } = readFileSync(await storedSound(`repair/${name}`, make));
  return new Float32Array(buffer.slice(byteOffset, byteOffset + length));
}

export const music = (name: string, seconds: number): Float32Array =>
  (pieces[name] as (length: number) => Float32Array)(seconds).slice(0, seconds * rate);

export function through(stage: Stage, plane: Sound): Sound {
  const pipeline = compose([stage], { sampleRate: rate, channels: 1, layout: 'mono' });
  const out = new Float32Array(plane.length);
  let length = 0;
  const keep = ({ planes, frames }: { readonly planes: readonly Float32Array[]; readonly frames: number }): void => {
    out.set((planes[0] as Float32Array).subarray(0, frames), length);
    length += frames;
  };
  for (let at = 0; at < plane.length; at += rate) {
    const part = plane.slice(at, at + rate);
    pipeline.process({ planes: [part], frames: part.length }, keep);
  }
  pipeline.flush(keep);
  pipeline.close();
  return out;
}

export function read<Result>(meter: Analyser<Result>, plane: Sound): Result {
  through(meter, plane);
  return meter.result();
}

/** Damaged sounds with what they were, and sounds without that damage. */
export interface Material {
  readonly damaged: readonly { readonly plane: Sound; readonly was: Sound }[];
  readonly undamaged: readonly Sound[];
}

/** @param repair returns the repaired sound; null when it finds no damage */
export function judge(
  name: string,
  { damaged, undamaged }: Material,
  repair: (plane: Sound) => Sound | null,
  isFound: (plane: Sound) => boolean,
): Figure[] {
  let found = 0;
  const ratios = damaged.map(({ plane, was }) => {
    const repaired = repair(plane);
    if (repaired !== null) found += 1;
    return sdr(repaired ?? plane, was);
  });
  const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
  return [
    figure(`${name} found in damaged sounds, of ${damaged.length}`, found, '', 'higher'),
    figure('signal to distortion after the repair, mean', mean, 'dB', 'higher', 2),
    figure('the same, worst', Math.min(...ratios), 'dB', 'higher', 2),
    figure(`${name} found in sounds without it, of ${undamaged.length}`, undamaged.filter(isFound).length, '', 'lower'),
  ];
}
