// In place of media/read/decode.ts: reads samples of WAV files where they lie, and those of other files where a decoder
// of the browser has put them before the run.
import { EarshotError } from '../../../../../library/core/errors/errors.ts';
import type { Warning } from '../../../../../library/core/progress/progress.ts';
import type { MediaFacts } from '../../../../../library/media/facts.ts';
import type { AudioSource, DecodeOptions } from '../../../../../library/media/read/decode.ts';
import { createFittingConverter } from '../../../../../library/media/convert/fitting-mix.ts';
import { createFormatConverter } from '../../../../../library/media/convert/format-converter.ts';
import { lookedAt } from '../../../../media/looked-at.ts';
import type { Samples } from '../../../../media/samples.ts';
import { openSpool } from '../../../../media/spool.ts';
import { lookAtWave, openWave } from '../../../../media/wave-sound.ts';
import { noSound } from './probe.ts';

export type { AudioSource, DecodeOptions };

interface Opened {
  readonly samples: Samples;
  /** By the header; null where it says none. */
  readonly statedFrames: number | null;
}

function openSamples(facts: MediaFacts): Opened {
  if (!facts.audio) throw noSound(facts);
  const { sampleRate, channels, layout } = facts.audio;
  const known = lookedAt(facts.path);
  if (known !== null && known.spool !== null)
    return {
      samples: openSpool(known.spool, { sampleRate, channels, layout }, known.frames),
      statedFrames: known.statedFrames,
    };
  const wave = lookAtWave(facts.path);
  if (wave) return { samples: openWave(facts.path, wave), statedFrames: wave.statedFrames };
  throw noSound(facts);
}

/** Less than this of what a header states is missing in a whole file. */
const leastMissing = { seconds: 0.01, share: 0.001 };

function missing(statedFrames: number | null, frames: number, sampleRate: number): Warning | null {
  if (statedFrames === null) return null;
  const [declared, got] = [statedFrames / sampleRate, frames / sampleRate];
  if (got >= declared - leastMissing.seconds - declared * leastMissing.share) return null;
  return {
    code: 'truncated',
    message:
      `The file states ${declared.toFixed(2)} s of sound but ${got.toFixed(2)} s could be read; it ` +
      'is truncated or damaged',
  };
}

export function openAudio(facts: MediaFacts, options: DecodeOptions = {}): AudioSource {
  const { from = 0, to = Number.POSITIVE_INFINITY } = options;
  if (!(from >= 0) || !(to >= from))
    throw new EarshotError('bad_request', `Expected 0 <= from <= to in seconds but received from ${from} and to ${to}`);
  const { samples, statedFrames } = openSamples(facts);
  const { sampleRate, channels } = samples.format;
  const isToEnd = to === Number.POSITIVE_INFINITY;
  const startFrame = Math.round(from * sampleRate);
  const endFrame = Math.min(samples.frames, isToEnd ? samples.frames : Math.round(to * sampleRate));
  const converter = (options.fitting ? createFittingConverter : createFormatConverter)(samples.format, {
    sampleRate: options.rate ?? sampleRate,
    channels: options.channels ?? channels,
  });
  const planes = Array.from({ length: channels }, () => new Float32Array(sampleRate));
  const warnings: Warning[] = [];
  let at = startFrame;
  let finished = false;
  const finish = (): void => {
    finished = true;
    if (samples.frames === 0 && startFrame === 0)
      throw new EarshotError(
        'file_invalid',
        'The file has a sound stream but none of it can be decoded; it is damaged or truncated',
      );
    const lost = isToEnd ? missing(statedFrames, samples.frames, sampleRate) : null;
    if (lost) warnings.push(lost);
  };
  return {
    format: converter.format,
    expectedFrames: Math.round((Math.max(0, endFrame - startFrame) * converter.format.sampleRate) / sampleRate),
    get warnings() {
      return warnings;
    },
    next() {
      for (;;) {
        if (finished) return null;
        const frames = Math.min(sampleRate, endFrame - at);
        if (frames <= 0) {
          finish();
          const rest = converter.flush();
          warnings.push(...converter.warnings());
          return rest;
        }
        samples.read(at, frames, planes);
        at += frames;
        const out = converter.convert({
          planes: frames === sampleRate ? planes : planes.map((plane) => plane.subarray(0, frames)),
          frames,
        });
        if (out) return out;
      }
    },
    close: () => samples.close(),
  };
}
