import type { Stage } from '../../../pcm/stage.ts';
import { bins, type SpectrumFrame, spectralStage } from '../../voice/spectral-stage.ts';
import type { ChannelGroups } from '../channel-groups.ts';
import { logMmseGain } from './log-mmse.ts';
import type { SteadyNoise } from './steady-noise.ts';

/** Share of the last frame in what is expected of this one (Ephraim and Malah 1984, "decision-directed"). */
const priorMemory = 0.98;
/** Least of what is expected, as power: lower, and single tones of the noise ring on. */
const leastPrior = 10 ** (-25 / 10);
/** Ratios above this are all voice. */
const mostPosterior = 1e4;

export interface RemoveSteadyOptions {
  readonly groups: Pick<ChannelGroups, 'groups'>;
  readonly noise: SteadyNoise;
  /** Least factor of the amplitude, above 0: what is left of the noise. */
  readonly leastGain: number;
}

/** A group of channels has one filter, so that the stereo image is kept. */
class Group {
  private readonly channels: readonly number[];
  private readonly options: RemoveSteadyOptions;
  /** Of the last frame, over the noise: the power of what was kept. */
  private readonly before = new Float32Array(bins);
  private readonly heard = new Float64Array(bins);
  private readonly noise = new Float64Array(bins);

  constructor(channels: readonly number[], options: RemoveSteadyOptions) {
    this.channels = channels;
    this.options = options;
  }

  work(spectra: readonly SpectrumFrame[], frame: number): void {
    const { heard, noise, channels } = this;
    heard.fill(0);
    noise.fill(0);
    for (const channel of channels) {
      const { re, im } = spectra[channel] as SpectrumFrame;
      const own = this.options.noise.at(channel, frame);
      for (let bin = 0; bin < bins; bin += 1) {
        heard[bin]! += (re[bin] as number) ** 2 + (im[bin] as number) ** 2;
        noise[bin]! += own[bin] as number;
      }
    }
    for (let bin = 0; bin < bins; bin += 1) {
      const gain = this.gain(bin);
      if (gain === 1) continue;
      for (const channel of channels) {
        const { re, im } = spectra[channel] as SpectrumFrame;
        re[bin]! *= gain;
        im[bin]! *= gain;
      }
    }
  }

  private gain(bin: number): number {
    const noise = this.noise[bin] as number;
    const heard = this.heard[bin] as number;
    if (!(noise > 0) || !(heard > 0)) {
      this.before[bin] = 0;
      return 1;
    }
    const posterior = Math.min(mostPosterior, heard / noise);
    const expected = priorMemory * (this.before[bin] as number) + (1 - priorMemory) * Math.max(0, posterior - 1);
    const gain = logMmseGain(Math.max(leastPrior, expected), posterior);
    this.before[bin] = gain * gain * posterior;
    return Math.max(this.options.leastGain, gain);
  }
}

/**
 * Turns the steady noise of a recording at 48 kHz down and leaves what comes and goes in it. Music that never pauses
 * has sounds as steady as noise.
 */
export function removeSteady(options: RemoveSteadyOptions): Stage {
  return spectralStage({
    begin() {
      const groups = options.groups.groups.map((channels) => new Group(channels, options));
      let frame = 0;
      return (spectra) => {
        for (const group of groups) group.work(spectra, frame);
        frame += 1;
      };
    },
  });
}
