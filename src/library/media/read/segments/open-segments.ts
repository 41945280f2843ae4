// Sound whose segments are decoded by several threads at the same time, in order and as one decoder would give it.
import type { MediaFacts } from '../../facts.ts';
import { setImmediate as turn } from 'node:timers/promises';
import type { Stream } from 'node-av/lib';
import { throwIfAborted } from '../../../core/abort.ts';
import type { FanOut } from '../../../core/machine/fan-out.ts';
import type { Warning } from '../../../core/progress/progress.ts';
import { moduleUrl } from '../../../core/running-files.ts';
import type { AudioBlock } from '../../../pcm/block.ts';
import { chooseAudioStream, openInput, type OpenedInput, startsLate } from '../../ffmpeg/ffmpeg.ts';
import { type AudioSource, openAudio } from '../decode.ts';
import { longestRounding } from '../sound-clock.ts';
import { shortfall } from '../truncation.ts';
import type { DecodeItem } from './decode-task.ts';
import { decodingRules, leastSeconds, usualSegmentSeconds } from './rules.ts';
import { type Part, SegmentDecoder } from './segment-decoder.ts';
import { controls, blockBytes, makeBlocks, placesOf, type SharedBlocks } from './shared-blocks.ts';

const taskUrl = moduleUrl('library/media/read/segments/decode-task');

/** FFmpeg on a thread of Node's, without the sound that waits. */
const threadBytes = 36e6;
/** Threads and their sound: with the rest a job stays below 400 MB. */
const mostBytes = 260e6;
/** Between two looks at the signal while threads have nothing, ms. */
const lookEvery = 50;

/** In every Node that we support; TypeScript has it from ES2024 on. */
const { waitAsync } = Atomics as unknown as {
  waitAsync(array: Int32Array, index: number, value: number, milliseconds: number): { value: string | Promise<string> };
};

/** Where segments come from: threads, or this one. */
interface Parts {
  /** null: `next` can be called. */
  ready(segment: number): Promise<void> | null;
  next(segment: number): Part & { readonly planes: readonly Float32Array[] };
  /** What `next` returned is not used any more. */
  release(): void;
  close(): void;
}

interface Where {
  readonly path: string;
  readonly streamIndex: number;
  readonly segmentSeconds: number;
  readonly channels: number;
  readonly sampleRate: number;
}

interface MeasureOptions {
  /** The threads of a run, and what ends it; a RunContext fits. */
  readonly fanOut: FanOut;
  readonly signal: AbortSignal;
  /** Default: 60, of sound that is long enough to gain. */
  readonly segmentSeconds?: number;
  /** One decoder goes on from here, s. */
  readonly onWhole?: (seconds: number) => void;
}

function partsInTurn({ path, streamIndex, segmentSeconds, channels, sampleRate }: Where): Parts {
  const decoder = new SegmentDecoder(path, streamIndex, segmentSeconds);
  const planes = Array.from({ length: channels }, () => new Float32Array(sampleRate));
  let started = -1;
  return {
    ready: () => null,
    next(segment) {
      if (segment !== started) decoder.start((started = segment));
      return { ...decoder.fill(planes), planes };
    },
    release: () => undefined,
    close: () => decoder.close(),
  };
}

interface Lane {
  readonly blocks: SharedBlocks;
  readonly places: ReturnType<typeof placesOf>;
  /** Blocks taken, and written when the thread ended last. */
  at: number;
  written: number;
  runs: boolean;
}

class PartsOnThreads implements Parts {
  private readonly where: Where;
  private readonly fanOut: FanOut;
  private readonly most: number;
  private readonly needed: () => number;
  private readonly signal: AbortSignal;
  private readonly stopping = new AbortController();
  private readonly shared = new SharedArrayBuffer(Object.keys(controls).length * 4);
  private readonly control = new Int32Array(this.shared);
  private readonly lanes: Lane[] = [];
  private current = -1;
  private taken: { empty(): void } | null = null;
  private failure: { readonly thrown: unknown } | null = null;

  constructor(where: Where, { fanOut, signal }: MeasureOptions, most: number, needed: () => number) {
    this.where = where;
    this.fanOut = fanOut;
    this.signal = AbortSignal.any([signal, this.stopping.signal]);
    this.most = most;
    this.needed = needed;
    this.share();
  }

  /** As many threads as the run may have now. */
  private share(): void {
    const lanes = Math.min(this.most, this.needed());
    Atomics.store(this.control, controls.lanes, lanes);
    for (let lane = 0; lane < lanes; lane += 1) if (this.lanes[lane]?.runs !== true) void this.run(lane);
  }

  private async run(lane: number): Promise<void> {
    if (Atomics.load(this.control, controls.ended) !== 0) return;
    const { channels, sampleRate } = this.where;
    const blocks = this.lanes[lane]?.blocks ?? makeBlocks(channels, sampleRate);
    const item: DecodeItem = {
      ...this.where,
      lane,
      blocks,
      control: this.shared,
      place: this.lanes[lane]?.written ?? 0,
    };
    const state = this.lanes[lane] ?? {
      blocks,
      places: placesOf(blocks, channels, sampleRate),
      at: 0,
      written: 0,
      runs: true,
    };
    this.lanes[lane] = state;
    state.runs = true;
    try {
      const [place] = await this.fanOut.map<DecodeItem, number>(taskUrl, 'decodeSegments', [item], {
        signal: this.signal,
      });
      state.written = place ?? 0;
    } catch (thrown) {
      this.failure ??= { thrown };
    }
    state.runs = false;
    Atomics.notify(this.control, controls.written);
  }

  private laneOf(segment: number): Lane | undefined {
    return this.lanes.find(({ places, at }) => {
      const place = places[at % places.length];
      return place?.isFilled() === true && place.read().segment === segment;
    });
  }

  ready(segment: number): Promise<void> | null {
    if (segment !== this.current) {
      this.current = segment;
      this.share();
    }
    return this.laneOf(segment) === undefined ? this.wait(segment) : null;
  }

  private async wait(segment: number): Promise<void> {
    for (;;) {
      if (this.failure) throw this.failure.thrown;
      throwIfAborted(this.signal);
      const works = this.lanes.some(({ runs }) => runs);
      const written = Atomics.load(this.control, controls.written);
      if (this.laneOf(segment)) return;
      if (!works) throw new TypeError(`Expected segment ${segment} from a thread`);
      const { value } = waitAsync(this.control, controls.written, written, lookEvery);
      await value;
      // More may have come than one block.
      await turn();
    }
  }

  next(segment: number): Part & { readonly planes: readonly Float32Array[] } {
    const lane = this.laneOf(segment);
    const place = lane?.places[lane.at % lane.places.length];
    if (lane === undefined || place === undefined) throw new TypeError('Expected ready before next');
    lane.at += 1;
    this.taken = place;
    return { ...place.read(), planes: place.planes };
  }

  release(): void {
    this.taken?.empty();
    this.taken = null;
  }

  close(): void {
    this.stopping.abort();
  }
}

interface Opened {
  readonly facts: MediaFacts;
  readonly whole: AudioSource;
  readonly parts: Parts;
  readonly input: OpenedInput;
  readonly stream: Stream;
  readonly options: MeasureOptions;
}

/** One segment after the other, while they are usual. */
function joined({ facts, whole, parts, input, stream, options }: Opened): AudioSource {
  const { format, expectedFrames } = whole;
  const { sampleRate } = format;
  const warnings: Warning[] = [];
  let [segment, segmentFrom, frames] = [0, 0, 0];
  let endOfLast = 0;
  let begins = true;
  let ended = false;
  /** Frames of `whole` that have been given from segments; null: it is not needed. */
  let toSkip: number | null = null;
  /** Of `whole`, where the skipped ones end. */
  let held: AudioBlock | null = null;
  let part: ReturnType<Parts['next']> | null = null;

  /** From here on the whole file's decoder gives what comes. */
  const goOnWhole = (): void => {
    parts.release();
    parts.close();
    toSkip = frames;
    options.onWhole?.(frames / sampleRate);
  };
  const skipWhole = async (): Promise<void> => {
    while (toSkip !== null && toSkip > 0) {
      held = whole.next();
      if (held === null) return;
      const cut = Math.min(toSkip, held.frames);
      toSkip -= cut;
      held = { planes: held.planes.map((plane) => plane.subarray(cut, held?.frames)), frames: held.frames - cut };
      await turn();
      throwIfAborted(options.signal);
    }
  };

  /** Looks at the next part; false: it cannot be used. */
  const isUsual = (next: Part): boolean => {
    if (next.after === 'unusual') return false;
    if (next.ahead - segmentFrom > longestRounding(input.context.iformat?.name ?? '', sampleRate)) return false;
    return !begins || segment === 0 || next.begin === endOfLast;
  };
  const fetch = async (): Promise<void> => {
    for (;;) {
      if (toSkip !== null) return await skipWhole();
      if (ended) return;
      parts.release();
      await parts.ready(segment);
      const next = parts.next(segment);
      if (!isUsual(next) || (next.after === 'end' && frames + next.frames === 0)) {
        goOnWhole();
        continue;
      }
      part = next;
      begins = false;
      frames += next.frames;
      if (next.after === 'cut') {
        segment += 1;
        segmentFrom = frames;
        endOfLast = next.end;
        begins = true;
      }
      if (next.after === 'end') {
        ended = true;
        const missing = shortfall(input, facts, stream, {
          seconds: frames / sampleRate,
          leadSeconds: 0,
          beginSeconds: facts.audio?.startSeconds ?? 0,
        });
        if (missing) warnings.push(missing);
      }
      if (next.frames > 0) return;
      part = null;
    }
  };
  return {
    format,
    expectedFrames,
    get warnings() {
      return toSkip === null ? [...whole.warnings, ...warnings] : whole.warnings;
    },
    ready: () => fetch(),
    next() {
      if (toSkip !== null) {
        const block = held !== null && held.frames > 0 ? held : whole.next();
        held = null;
        return block;
      }
      const block = part && {
        planes: part.planes.map((plane) => plane.subarray(0, part?.frames)),
        frames: part.frames,
      };
      part = null;
      return block;
    },
    close() {
      parts.close();
      input.close();
      whole.close();
    },
  };
}

/**
 * As `openAudio`, for sound that is only measured: long sound without silence before it is decoded in segments, on the
 * threads of a run while it has several. The samples are the same on any number of threads. In AAC, the noise that its
 * decoder makes up is other noise of the same level than `openAudio` gives, from the second segment on; all other
 * codecs give the same samples. The run must do nothing else on threads until this is closed.
 * @throws EarshotError as `openAudio`
 */
export function openToMeasure(facts: MediaFacts, options: MeasureOptions): AudioSource {
  const whole = openAudio(facts);
  const { format, expectedFrames } = whole;
  const { channels, sampleRate } = format;
  const { segmentSeconds } = options;
  if (expectedFrames === null || (segmentSeconds === undefined && expectedFrames < leastSeconds * sampleRate))
    return whole;
  const input = openInput(facts.path);
  const stream = chooseAudioStream(input.streams);
  const rules = stream && decodingRules(stream, input.context.iformat?.name ?? '');
  const laneBytes = threadBytes + blockBytes(channels, sampleRate);
  const most = Math.floor(mostBytes / laneBytes);
  const lanes = (): number => options.fanOut.lanes(laneBytes);
  const several = Math.min(most, lanes()) > 1;
  if (!stream || !rules || startsLate(stream, input.streams) || (rules.exact && !several) || !input.isSearchable()) {
    input.close();
    return whole;
  }
  const where = {
    path: facts.path,
    streamIndex: stream.index,
    segmentSeconds: segmentSeconds ?? usualSegmentSeconds,
    channels,
    sampleRate,
  };
  const parts = several ? new PartsOnThreads(where, options, most, lanes) : partsInTurn(where);
  return joined({ whole, facts, parts, input, stream, options });
}
