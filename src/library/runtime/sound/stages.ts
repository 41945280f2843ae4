// Stages over sound as it arrives, as web streams: the tools' own stages, in this process.
import { badValue } from '../../core/checks/schema.ts';
import { limit as limiting } from '../../dsp/loudness/limit.ts';
import { type LoudnessReading, meterLoudness } from '../../dsp/loudness/loudness-meter.ts';
import { channelWeights, createLoudness } from '../../kernels/loudness.ts';
import { compose } from '../../pcm/compose.ts';
import { formatOf, planesOfBlock, requireChannels, requireSampleRate, type SampleBlock } from '../../pcm/sound.ts';
import type { AnyStage, Emit } from '../../pcm/stage.ts';
import { limitOptions, type LimitSoundOptions } from './measure.ts';

/** The form of the sound that a stage gets. */
export interface StageForm {
  /** Frames per second, whole, 1 to 768000. */
  readonly sampleRate: number;
  /** 1 to 64. Default 1. */
  readonly channels?: number;
}

/**
 * A stage for `pipeThrough`. It takes blocks of any length, an array a channel or one array with all channels frame by
 * frame, and gives blocks with an array a channel, which are the receiver's. As much sound comes out as went in, in
 * step with it; the division into blocks changes no sample.
 */
export interface SoundStage {
  /** Where the sound goes in. A block that is no sound fails both sides. */
  readonly writable: WritableStream<SampleBlock>;
  /** Where it comes out. */
  readonly readable: ReadableStream<Float32Array[]>;
  /** The most frames by which what came out is behind what went in. */
  readonly latencyFrames: number;
  /** The same in seconds. */
  readonly latencySeconds: number;
}

/** What a meter reads while sound passes. */
export interface MeterReading {
  /** Seconds of sound that have passed. */
  readonly seconds: number;
  /** Of the last 400 ms, LUFS; null: silence, or not so long yet. */
  readonly momentaryLufs: number | null;
  /** Of the last 3 s, LUFS; null: silence, or not so long yet. */
  readonly shortTermLufs: number | null;
  /** Of everything so far, LUFS; null: nothing was loud enough. */
  readonly integratedLufs: number | null;
  /** The highest sample since the reading before, dBFS; -Infinity for digital silence. */
  readonly samplePeakDbfs: number;
}

/** How often a meter tells what it reads. */
export interface MeterOptions {
  /** Called about every `everySeconds` of sound. Default: none. */
  readonly onReading?: (reading: MeterReading) => void;
  /** Seconds of sound between readings, 0.01 to 60. Default 0.1. */
  readonly everySeconds?: number;
}

/** A stage that measures what passes it. */
export interface MeterStage extends SoundStage {
  /**
   * What the whole sound measures, as `measureLoudness`, once it has ended. Rejects where the stream fails or is given
   * up.
   */
  readonly result: Promise<LoudnessReading>;
}

/** What a stage of a stream tells of its life. */
interface Events {
  onEnd?(): void;
  onFail?(thrown: unknown): void;
}

/** @throws EarshotError bad_request */
export function stageFormat({ sampleRate, channels = 1 }: StageForm) {
  return formatOf(requireSampleRate(sampleRate), requireChannels(channels));
}

/**
 * @param latencyFrames of all the stages, as `SoundStage` says
 * @param events are told before the stages are closed
 */
export function streamOfStages(
  form: StageForm,
  stages: readonly AnyStage[],
  latencyFrames: number,
  events: Events = {},
): SoundStage {
  const format = stageFormat(form);
  const pipeline = compose(stages, format);
  let [frames, out] = [0, 0];
  /** Closes the stages where one of them fails. */
  const guarded = async (work: () => void | Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (thrown) {
      end(thrown);
      throw thrown;
    }
  };
  const end = (thrown: unknown): void => {
    events.onFail?.(thrown);
    pipeline.close();
  };
  /** @param most frames that are still to come out; another rate and back may give one too many or too few */
  const into =
    (controller: TransformStreamDefaultController<Float32Array[]>, most = Number.POSITIVE_INFINITY): Emit =>
    ({ planes, frames: count }) => {
      const given = Math.min(count, most - out);
      if (given <= 0) return;
      out += given;
      controller.enqueue(planes.map((plane) => plane.slice(0, given)));
    };
  const { readable, writable } = new TransformStream<SampleBlock, Float32Array[]>({
    transform: (block, controller) =>
      guarded(async () => {
        const planes = planesOfBlock(block, format.channels, frames);
        const count = (planes[0] as Float32Array).length;
        if (count === 0) return;
        frames += count;
        // Stages work in place, and the sender's arrays are the sender's.
        await pipeline.process({ planes: planes.map((plane) => plane.slice()), frames: count }, into(controller));
      }),
    flush: (controller) =>
      guarded(async () => {
        const rest = into(controller, frames);
        await pipeline.flush(rest);
        const missing = frames - out;
        rest({ planes: Array.from({ length: format.channels }, () => new Float32Array(missing)), frames: missing });
        events.onEnd?.();
        pipeline.close();
      }),
    cancel: end,
  });
  return { readable, writable, latencyFrames, latencySeconds: latencyFrames / format.sampleRate };
}

/**
 * One gain, then the look-ahead limiter of true peaks: the samples of `limit`. It is 5 ms behind, and a filter's half.
 * @throws EarshotError bad_request for a form or an option out of range; tool_unavailable without the native kernels
 */
export function limiter(form: StageForm, options: LimitSoundOptions = {}): SoundStage {
  const limiting_ = limiting(limitOptions(options));
  // Opened once to know its delay: a limiter has it by its rate.
  limiting_.open(stageFormat(form));
  const { latencyFrames } = limiting_;
  limiting_.close();
  return streamOfStages(form, [limiting_], latencyFrames);
}

/**
 * Measures the sound that passes, which it leaves as it is, without a delay.
 * @throws EarshotError as `limiter`
 */
export function meter(form: StageForm, { onReading, everySeconds = 0.1 }: MeterOptions = {}): MeterStage {
  if (!(everySeconds >= 0.01 && everySeconds <= 60))
    throw badValue('everySeconds', 'seconds between 0.01 and 60', everySeconds);
  const whole = meterLoudness();
  const ended = Promise.withResolvers<LoudnessReading>();
  // Who does not ask for the result need not know that there is none.
  ended.promise.catch(() => undefined);
  const stages = onReading ? [whole, reader(form, onReading, everySeconds)] : [whole];
  const stage = streamOfStages(form, stages, 0, {
    onEnd: () => ended.resolve(whole.result()),
    onFail: ended.reject,
  });
  return { ...stage, result: ended.promise };
}

/** Reads at the same frames, whatever the blocks. */
function reader(form: StageForm, onReading: (reading: MeterReading) => void, everySeconds: number): AnyStage {
  const { sampleRate, channels, layout } = stageFormat(form);
  const loudness = createLoudness({ sampleRate, weights: channelWeights(layout, channels) });
  let [seen, peak, readings] = [0, 0, 1];
  const look = (planes: readonly Float32Array[]): void => {
    loudness.push(planes);
    for (const plane of planes)
      for (let at = 0; at < plane.length; at += 1) peak = Math.max(peak, Math.abs(plane[at] as number));
    seen += (planes[0] as Float32Array).length;
  };
  return {
    latencyFrames: 0,
    open: (format) => format,
    process({ planes, frames }, emit) {
      for (let at = 0; at < frames;) {
        const due = Math.round(readings * everySeconds * sampleRate);
        const to = Math.min(frames, at + due - seen);
        look(planes.map((plane) => plane.subarray(at, to)));
        at = to;
        if (seen < due) continue;
        const { momentaryLufs, shortTermLufs, integratedLufs } = loudness.result();
        const samplePeakDbfs = 20 * Math.log10(peak);
        onReading({ seconds: seen / sampleRate, momentaryLufs, shortTermLufs, integratedLufs, samplePeakDbfs });
        peak = 0;
        readings += 1;
      }
      emit({ planes, frames });
    },
    flush: () => undefined,
    close: () => undefined,
  };
}
