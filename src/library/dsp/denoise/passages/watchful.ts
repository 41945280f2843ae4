import { passageLeadFrames, passageTailFrames, suppressPassage } from '../rnnoise/passage.ts';
import type { LevellingCurve } from '../level/levelling-curve.ts';
import { release } from '../suppressor/pieces.ts';
import { createSampleWindow } from '../suppressor/sample-window.ts';
import {
  type EmitPlanes,
  type Suppressor,
  type SuppressorFactory,
  type SuppressorOptions,
  suppressorRate,
} from '../suppressor/suppressor.ts';
import { characterReachSeconds, type Hearing, hearSecond, type SecondHeard, seriesOf } from './ear.ts';
import { findEvents, judgeEvent, lostEvents, type SoundEvent } from './lost-voice.ts';
import { createMusicalSeconds, musicalReachSeconds } from './musical-seconds.ts';
import { createPowerEar, hopFrames, hopsPerSecond, type PowerEar } from './power-ear.ts';
import { mark, mixShares, shareReachHops, sharesOf } from './shares.ts';

/** Why a passage differs from the suppressor's output. */
export type PassageReason = 'music' | 'quiet_voice' | 'far_voice' | 'doubtful_voice';

export interface Passage {
  readonly reason: PassageReason;
  readonly startSeconds: number;
  readonly endSeconds: number;
}

export interface WatchfulOptions {
  /** Brings the channels to the level of the analysis. */
  readonly curve: LevellingCurve;
  /** Factors from that level to the suppressor's best one, and from there to RNNoise's. */
  readonly suppressorGain: number;
  readonly standInGain: number;
  /** May RNNoise replace the suppressor where that loses a voice? */
  readonly standIn: boolean;
  /** The suppressor leaves less than this of music, dB. */
  readonly musicKeptDb: number;
  readonly onPassage: (passage: Passage) => void;
}

/** A passage through RNNoise. */
interface Rescued {
  readonly planes: readonly Float32Array<ArrayBuffer>[];
  /** The share that it keeps of a sound's power. */
  readonly kept: (event: SoundEvent) => number;
}

/** Judged and emitted at a time. */
const chapterSeconds = 4;
const chapterHops = chapterSeconds * hopsPerSecond;
const chapterFrames = chapterSeconds * suppressorRate;
/** Decisions depend on this much sound to either side. */
const contextSeconds = Math.max(musicalReachSeconds, 6);
const keptSeconds = contextSeconds + characterReachSeconds;
/** RNNoise's part of a chapter extends beyond its ends, so that sounds across them are judged the same. */
const overlapFrames = suppressorRate;

/** What happens to a sound that the suppressor lost, and its warning. */
const kept = {
  'stand-in': { mask: 'standIn', reason: 'quiet_voice' },
  original: { mask: 'original', reason: 'far_voice' },
  doubtful: { mask: 'doubtful', reason: 'doubtful_voice' },
} as const;

const mean = (planes: readonly Float32Array<ArrayBuffer>[]): Float32Array<ArrayBuffer> =>
  planes.length === 1
    ? (planes[0] as Float32Array<ArrayBuffer>)
    : (planes[0] as Float32Array<ArrayBuffer>).map((x, i) => (x + ((planes[1] as Float32Array)[i] as number)) / 2);

/**
 * A suppressor that checks its own output. It works at its network's best level; music without a voice is kept; a voice
 * that the network takes for noise (whispers, creaks, laughs) is left to RNNoise; a voice that both lose (far from the
 * microphone) is kept, and possible ones are only attenuated. Decisions are on a fixed grid, so the division of the
 * input does not matter.
 */
export function createWatchful(
  create: SuppressorFactory,
  options: SuppressorOptions,
  { curve, suppressorGain, standInGain, standIn, musicKeptDb, onPassage }: WatchfulOptions,
): Suppressor {
  const { channels, runner, here, cores, highPass = true } = options;
  const inner = create(options);
  const [dry, wet] = [createSampleWindow(channels), createSampleWindow(channels)];
  const [heard, left] = [createPowerEar(), createPowerEar()];
  const seconds = new Map<number, SecondHeard>();
  let chapter = 0;
  /** RNNoise's result for the next chapter, started ahead. */
  let ahead: { readonly chapter: number; readonly rescued: Promise<Rescued> } | null = null;
  let lastRescued = -2;

  const scaled = (planes: readonly Float32Array[], gain: number): void => {
    if (gain !== 1) for (const plane of planes) for (let i = 0; i < plane.length; i += 1) plane[i]! *= gain;
  };
  const hear = (ear: PowerEar, planes: readonly Float32Array<ArrayBuffer>[], frames: number): void => {
    const heardOf = mean(planes);
    ear.push(heardOf, frames);
    if (heardOf !== planes[0]) release(heardOf);
  };
  const takeWet: EmitPlanes = (planes, frames) => {
    // RNNoise outputs 40 s at a time: second by second, the copies are small and short-lived.
    for (let at = 0; at < frames; at += suppressorRate) {
      const to = Math.min(frames, at + suppressorRate);
      const copy = planes.map((plane) => plane.slice(at, to));
      scaled(copy, 1 / suppressorGain);
      hear(left, copy, to - at);
      curve.apply(copy, wet.end, to - at, true);
      wet.append(copy, to - at);
      release(...copy);
    }
  };

  const readAll = (window: typeof dry, from: number, to: number): Float32Array<ArrayBuffer>[] =>
    Array.from({ length: channels }, (_, channel) => window.read(channel, from, to));

  const hearing: Hearing = {
    get end() {
      return Math.min(heard.end, left.end);
    },
    heard: heard.power,
    left: left.power,
    second(second) {
      let known = seconds.get(second);
      if (!known)
        seconds.set(
          second,
          (known = hearSecond(second, (from, to) => {
            const planes = readAll(dry, from, to);
            curve.apply(planes, from, to - from, false);
            return mean(planes);
          })),
        );
      return known;
    },
  };
  const musical = createMusicalSeconds(hearing, musicKeptDb);

  /** Runs RNNoise on [from, to); measures what it keeps of a sound's power in the same way. */
  const rescue = async (from: number, to: number): Promise<Rescued> => {
    const start = Math.max(0, from - passageLeadFrames);
    const planes = readAll(dry, start, to + passageTailFrames);
    curve.apply(planes, start, planes[0]?.length ?? 0, false);
    scaled(planes, standInGain);
    const saved = await suppressPassage(planes, from - start, to - from, highPass, cores === 1 ? here : runner);
    scaled(saved, 1 / standInGain);
    const ear = createPowerEar();
    const heardOf = mean(saved);
    ear.push(heardOf, heardOf.length);
    const first = from / hopFrames;
    curve.apply(saved, from, to - from, true);
    return {
      planes: saved,
      kept({ start: begin, end }) {
        const [before, after] = [Math.max(first, begin), Math.min(first + ear.end, to / hopFrames, end)];
        if (after <= before) return 0;
        const sum = (values: Float32Array): number => values.reduce((total, x) => total + x, 0);
        return sum(ear.power(before - first, after - first)) / sum(heard.power(before, after));
      },
    };
  };

  /**
   * The same for the current chapter. After two chapters that needed it the next one usually does, too, and other cores
   * are idle near the end, so the next one is started ahead. It reads its input before it waits for anything, so
   * starting early does not change the result.
   */
  const rescueChapter = (from: number, to: number, total: number | null): Promise<Rescued> => {
    const begun =
      ahead?.chapter === chapter ? ahead.rescued : rescue(Math.max(0, from - overlapFrames), to + overlapFrames);
    ahead = null;
    const likely = total !== null || lastRescued === chapter - 1;
    lastRescued = chapter;
    const end = Math.min(to + chapterFrames, total ?? Number.POSITIVE_INFINITY);
    const isHere = total !== null || dry.end >= end + overlapFrames + passageTailFrames;
    if (cores > 1 && likely && end > to && isHere) {
      const rescued = rescue(to - overlapFrames, end + overlapFrames);
      // The awaiting code gets a failure.
      rescued.catch(() => undefined);
      ahead = { chapter: chapter + 1, rescued };
    }
    return begun;
  };

  /** Returns the start of the next chapter. */
  const decide = async (total: number | null, emit: EmitPlanes): Promise<number> => {
    const from = chapter * chapterFrames;
    const to = Math.min(from + chapterFrames, total ?? Number.POSITIVE_INFINITY);
    const firstHop = chapter * chapterHops;
    const [maskFrom, maskTo] = [firstHop - shareReachHops, firstHop + chapterHops + shareReachHops];
    const masks = {
      music: new Uint8Array(maskTo - maskFrom),
      standIn: new Uint8Array(maskTo - maskFrom),
      original: new Uint8Array(maskTo - maskFrom),
      doubtful: new Uint8Array(maskTo - maskFrom),
    };
    const firstSecond = chapter * chapterSeconds;
    for (let second = firstSecond - 1; second <= firstSecond + chapterSeconds; second += 1) {
      if (second * suppressorRate >= to + suppressorRate || !musical.is(second)) continue;
      const isLast = total !== null && (second + 1) * suppressorRate >= total;
      // Nothing fades at the recording's own ends.
      mark(
        masks.music,
        maskFrom,
        second === 0 ? maskFrom : second * hopsPerSecond,
        isLast ? maskTo : (second + 1) * hopsPerSecond,
      );
      if (second >= firstSecond && second * suppressorRate < to && second < firstSecond + chapterSeconds)
        onPassage({ reason: 'music', startSeconds: second, endSeconds: Math.min(second + 1, to / suppressorRate) });
    }
    const inMusic = ({ start, end }: SoundEvent): boolean =>
      masks.music[Math.min(masks.music.length - 1, Math.max(0, Math.round((start + end) / 2) - maskFrom))] === 1;
    const around = findEvents(
      hearing,
      maskFrom - hopsPerSecond,
      maskTo + hopsPerSecond,
      total === null ? heard.end : total / hopFrames,
    );
    const lost = lostEvents(around).filter((event) => event.end > maskFrom && event.start < maskTo && !inMusic(event));
    let saved: Float32Array[] | null = null;
    if (lost.length > 0) {
      const begin = Math.max(0, from - overlapFrames);
      const tried = standIn ? await rescueChapter(from, to, total) : null;
      for (const event of lost) {
        const verdict = judgeEvent(event, tried?.kept(event) ?? null, (which) =>
          seriesOf(hearing, which, event.start, event.end),
        );
        if (verdict === 'suppressed') continue;
        const { mask, reason } = kept[verdict];
        mark(masks[mask], maskFrom, event.start, event.end);
        if (event.start >= firstHop && event.start < firstHop + chapterHops)
          onPassage({
            reason,
            startSeconds: event.start / hopsPerSecond,
            endSeconds: event.end / hopsPerSecond,
          });
      }
      saved = tried?.planes.map((plane) => plane.subarray(from - begin, to - begin)) ?? null;
    }
    const out = readAll(wet, from, to);
    const original = readAll(dry, from, to);
    mixShares(out, saved, original, from, sharesOf(maskFrom, masks));
    release(...original);
    chapter += 1;
    wet.discard(to);
    dry.discard(to - Math.max(passageLeadFrames + overlapFrames, keptSeconds * suppressorRate));
    const keepHop = firstHop + chapterHops - contextSeconds * hopsPerSecond;
    heard.discard(keepHop);
    left.discard(keepHop);
    musical.discard(firstSecond + chapterSeconds - contextSeconds);
    for (const second of seconds.keys())
      if (second < firstSecond + chapterSeconds - contextSeconds) seconds.delete(second);
    emit(out, to - from);
    release(...out);
    return to;
  };

  const ready = (): boolean =>
    Math.min(heard.end, left.end) >= (chapter + 1) * chapterHops + contextSeconds * hopsPerSecond &&
    dry.end >= (chapter + 1) * chapterFrames + keptSeconds * suppressorRate;

  return {
    async push(planes, frames, emit) {
      const copy = planes.map((plane) => plane.slice(0, frames));
      curve.apply(copy, dry.end, frames, false);
      dry.append(planes, frames);
      hear(heard, copy, frames);
      scaled(copy, suppressorGain);
      const pushed = inner.push(copy, frames, takeWet);
      // The suppressor has copied them.
      release(...copy);
      await pushed;
      while (ready()) await decide(null, emit);
    },
    async flush(emit) {
      await inner.flush(takeWet);
      const total = dry.end;
      // The last hops need sound after them.
      const rest = new Float32Array(suppressorRate);
      heard.push(rest, rest.length);
      left.push(rest, rest.length);
      for (let at = chapter * chapterFrames; at < total;) at = await decide(total, emit);
      // Do not leave a thread working on a result that is not needed.
      await (ahead as { rescued: Promise<Rescued> } | null)?.rescued.catch(() => undefined);
    },
  };
}
