import { meanOfTwo, sumOf } from '../../series/elementwise.ts';
import { passageLeadFrames, passageTailFrames, suppressPassage } from '../rnnoise/passage.ts';
import type { Balance } from './balance.ts';
import type { LevellingCurve } from '../level/levelling-curve.ts';
import { release } from '../suppressor/pieces.ts';
import { createSampleWindow, type SampleWindow } from '../suppressor/sample-window.ts';
import {
  type EmitPlanes,
  type Suppressor,
  type SuppressorFactory,
  type SuppressorOptions,
  suppressorRate,
} from '../suppressor/suppressor.ts';
import { characterReachSeconds, type Hearing, hearSecond, type SecondHeard, seriesOf } from './ear.ts';
import { findEvents, isCreak, isVoiced, judgeEvent, lostEvents, type SoundEvent } from './lost-voice.ts';
import { createMusicalSeconds, type MusicalSeconds, musicalReachSeconds } from './musical-seconds.ts';
import type { Heard, Listener } from '../../listener/listener.ts';
import { createPowerEar, hopFrames, hopsPerSecond, type PowerEar } from './power-ear.ts';
import { mark, mixShares, shareReachHops, sharesOf, weigh } from './shares.ts';
import { hearSecondOf, isNoise } from './what-is-heard.ts';

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
  /** Tells music and noises from voices; null: nothing is known for music, and every lost sound may be a voice. */
  readonly listener: Listener | null;
  /** Factor from the level of the analysis to the listener's. */
  readonly listenerGain: number;
  /** null: as the suppressor leaves it, with music as it was. */
  readonly balance: Balance | null;
  readonly onPassage: (passage: Passage) => void;
  /** Gets what the listener heard, a second at a time, and the powers of its hops. */
  readonly onHeard: (heard: Heard, powers: Float32Array) => void;
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
    : meanOfTwo(planes[0] as Float32Array, planes[1] as Float32Array);

const scale = (planes: readonly Float32Array[], gain: number): void => {
  if (gain !== 1) for (const plane of planes) for (let i = 0; i < plane.length; i += 1) plane[i]! *= gain;
};

const hear = (ear: PowerEar, planes: readonly Float32Array<ArrayBuffer>[], frames: number): void => {
  const mono = mean(planes);
  ear.push(mono, frames);
  if (mono !== planes[0]) release(mono);
};

/** A chapter's position: frames, hops and seconds from the start; shares are computed for [maskFrom, maskTo). */
interface Chapter {
  readonly from: number;
  readonly to: number;
  readonly firstHop: number;
  readonly firstSecond: number;
  readonly maskFrom: number;
  readonly maskTo: number;
  /** Frames of the recording; null before its end is known. */
  readonly total: number | null;
}

type Masks = Readonly<Record<'music' | 'standIn' | 'original' | 'doubtful', Uint8Array>>;

/**
 * A suppressor that checks its own output. It works at its network's best level; music without a voice is kept; a voice
 * that the network takes for noise (whispers, creaks, laughs, one of two at once) is left to RNNoise; a voice that both
 * lose (far from the microphone) is kept, and possible ones are only attenuated. Decisions are on a fixed grid, so the
 * division of the input does not matter.
 */
export class WatchfulSuppressor implements Suppressor {
  private readonly options: SuppressorOptions;
  private readonly watch: WatchfulOptions;
  private readonly inner: Suppressor;
  private readonly dry: SampleWindow;
  private readonly wet: SampleWindow;
  private readonly heard = createPowerEar();
  private readonly left = createPowerEar();
  private readonly seconds = new Map<number, SecondHeard>();
  private readonly hearing: Hearing;
  /** null without a listener. */
  private readonly musical: MusicalSeconds | null;
  /** The next one to decide. */
  private chapter = 0;
  /** RNNoise's result for the next chapter, started ahead. */
  private ahead: { readonly chapter: number; readonly rescued: Promise<Rescued> } | null = null;
  private lastRescued = -2;

  constructor(create: SuppressorFactory, options: SuppressorOptions, watch: WatchfulOptions) {
    this.options = options;
    this.watch = watch;
    this.inner = create(options);
    this.dry = createSampleWindow(options.channels);
    this.wet = createSampleWindow(options.channels);
    const { heard, left } = this;
    this.hearing = {
      get end() {
        return Math.min(heard.end, left.end);
      },
      heard: heard.power,
      left: left.power,
      second: (second) => this.second(second),
    };
    const { listener, listenerGain } = watch;
    this.musical =
      listener === null
        ? null
        : createMusicalSeconds(
            (second) => hearSecondOf(listener, second, this.levelled, listenerGain),
            (from, to) =>
              this.heard.power(from, Math.min(to, this.heard.end, Math.floor(this.dry.end / hopFrames) - 1)),
            watch.onHeard,
          );
  }

  async push(planes: readonly Float32Array[], frames: number, emit: EmitPlanes): Promise<void> {
    const copy = planes.map((plane) => plane.slice(0, frames));
    this.watch.curve.apply(copy, this.dry.end, frames, false);
    this.dry.append(planes, frames);
    hear(this.heard, copy, frames);
    scale(copy, this.watch.suppressorGain);
    const pushed = this.inner.push(copy, frames, this.takeWet);
    // The suppressor has copied them.
    release(...copy);
    await pushed;
    while (this.isReady()) await this.decide(null, emit);
  }

  async flush(emit: EmitPlanes): Promise<void> {
    await this.inner.flush(this.takeWet);
    const total = this.dry.end;
    // The last hops need sound after them.
    const rest = new Float32Array(suppressorRate);
    this.heard.push(rest, rest.length);
    this.left.push(rest, rest.length);
    for (let at = this.chapter * chapterFrames; at < total;) at = await this.decide(total, emit);
    // Do not leave a thread working on a result that is not needed.
    await this.ahead?.rescued.catch(() => undefined);
  }

  private readonly takeWet: EmitPlanes = (planes, frames) => {
    const { wet } = this;
    const { curve, suppressorGain } = this.watch;
    // RNNoise outputs 40 s at a time: second by second, the copies are small and short-lived.
    for (let at = 0; at < frames; at += suppressorRate) {
      const to = Math.min(frames, at + suppressorRate);
      const copy = planes.map((plane) => plane.slice(at, to));
      scale(copy, 1 / suppressorGain);
      hear(this.left, copy, to - at);
      curve.apply(copy, wet.end, to - at, true);
      wet.append(copy, to - at);
      release(...copy);
    }
  };

  private readAll(window: SampleWindow, from: number, to: number): Float32Array<ArrayBuffer>[] {
    return Array.from({ length: this.options.channels }, (_, channel) => window.read(channel, from, to));
  }

  private readonly levelled = (from: number, to: number): Float32Array<ArrayBuffer> => {
    const planes = this.readAll(this.dry, from, to);
    this.watch.curve.apply(planes, from, to - from, false);
    return mean(planes);
  };

  /** What the suppressor took away. */
  private readonly taken = (from: number, to: number): Float32Array => {
    const left = mean(this.readAll(this.wet, from, to));
    return mean(this.readAll(this.dry, from, to)).map((x, i) => x - (left[i] as number));
  };

  private second(second: number): SecondHeard {
    const known = this.seconds.get(second);
    if (known) return known;
    const heard = hearSecond(second, this.levelled);
    this.seconds.set(second, heard);
    return heard;
  }

  private isReady(): boolean {
    return (
      this.hearing.end >= (this.chapter + 1) * chapterHops + contextSeconds * hopsPerSecond &&
      this.dry.end >= (this.chapter + 1) * chapterFrames + keptSeconds * suppressorRate
    );
  }

  /** Runs RNNoise on [from, to); measures what it keeps of a sound's power in the same way. */
  private async rescue(from: number, to: number): Promise<Rescued> {
    const { curve, standInGain } = this.watch;
    const { runner, here, cores, highPass = true } = this.options;
    const start = Math.max(0, from - passageLeadFrames);
    const planes = this.readAll(this.dry, start, to + passageTailFrames);
    curve.apply(planes, start, planes[0]?.length ?? 0, false);
    scale(planes, standInGain);
    const saved = await suppressPassage(planes, from - start, to - from, highPass, cores === 1 ? here : runner);
    scale(saved, 1 / standInGain);
    const ear = createPowerEar();
    const mono = mean(saved);
    ear.push(mono, mono.length);
    const first = from / hopFrames;
    curve.apply(saved, from, to - from, true);
    return {
      planes: saved,
      kept: ({ start: begin, end }) => {
        const [before, after] = [Math.max(first, begin), Math.min(first + ear.end, to / hopFrames, end)];
        if (after <= before) return 0;
        return sumOf(ear.power(before - first, after - first)) / sumOf(this.heard.power(before, after));
      },
    };
  }

  /**
   * The same for the current chapter. After two chapters that needed it the next one usually does, too, and other cores
   * are idle near the end, so the next one is started ahead. It reads its input before it waits for anything, so
   * starting early does not change the result.
   */
  private rescueChapter({ from, to, total }: Chapter): Promise<Rescued> {
    const { chapter, ahead } = this;
    const begun =
      ahead?.chapter === chapter ? ahead.rescued : this.rescue(Math.max(0, from - overlapFrames), to + overlapFrames);
    this.ahead = null;
    const likely = total !== null || this.lastRescued === chapter - 1;
    this.lastRescued = chapter;
    const end = Math.min(to + chapterFrames, total ?? Number.POSITIVE_INFINITY);
    const isHere = total !== null || this.dry.end >= end + overlapFrames + passageTailFrames;
    if (this.options.cores > 1 && likely && end > to && isHere) {
      const rescued = this.rescue(to - overlapFrames, end + overlapFrames);
      // The awaiting code gets a failure.
      rescued.catch(() => undefined);
      this.ahead = { chapter: chapter + 1, rescued };
    }
    return begun;
  }

  private currentChapter(total: number | null): Chapter {
    const from = this.chapter * chapterFrames;
    const firstHop = this.chapter * chapterHops;
    return {
      from,
      to: Math.min(from + chapterFrames, total ?? Number.POSITIVE_INFINITY),
      firstHop,
      firstSecond: this.chapter * chapterSeconds,
      maskFrom: firstHop - shareReachHops,
      maskTo: firstHop + chapterHops + shareReachHops,
      total,
    };
  }

  private async markMusic(music: Uint8Array, { to, firstSecond, maskFrom, maskTo, total }: Chapter): Promise<void> {
    if (this.musical === null) return;
    for (let second = firstSecond - 1; second <= firstSecond + chapterSeconds; second += 1) {
      if (second * suppressorRate >= to + suppressorRate || !(await this.musical.is(second))) continue;
      const isLast = total !== null && (second + 1) * suppressorRate >= total;
      // Nothing fades at the recording's own ends.
      mark(
        music,
        maskFrom,
        second === 0 ? maskFrom : second * hopsPerSecond,
        isLast ? maskTo : (second + 1) * hopsPerSecond,
      );
      if (second >= firstSecond && second * suppressorRate < to && second < firstSecond + chapterSeconds)
        this.watch.onPassage({
          reason: 'music',
          startSeconds: second,
          endSeconds: Math.min(second + 1, to / suppressorRate),
        });
    }
  }

  private async isNoise({ start, end }: SoundEvent): Promise<boolean> {
    const { listener } = this.watch;
    return listener !== null && isNoise(listener, start * hopFrames, end * hopFrames, this.taken);
  }

  /** Marks sounds that the suppressor lost. @returns RNNoise's planes of the chapter, if it was asked */
  private async markLost(masks: Masks, chapter: Chapter): Promise<Float32Array[] | null> {
    const { from, to, firstHop, maskFrom, maskTo, total } = chapter;
    const { music } = masks;
    const inMusic = ({ start, end }: SoundEvent): boolean =>
      music[Math.min(music.length - 1, Math.max(0, Math.round((start + end) / 2) - maskFrom))] === 1;
    const around = findEvents(
      this.hearing,
      maskFrom - hopsPerSecond,
      maskTo + hopsPerSecond,
      total === null ? this.heard.end : total / hopFrames,
    );
    // Noise that swells looks like voices that overlap, or creak; to ask for what these are is quicker than RNNoise.
    const mayStay = ({ kind, start, end }: SoundEvent): boolean => {
      if (kind !== 'overlap' && kind !== 'creak') return true;
      const is = kind === 'overlap' ? isVoiced : isCreak;
      return this.watch.standIn && is(seriesOf(this.hearing, 'ripple', start, end));
    };
    const lost = lostEvents(around).filter(
      (event) => event.end > maskFrom && event.start < maskTo && !inMusic(event) && mayStay(event),
    );
    if (lost.length === 0) return null;
    const begin = Math.max(0, from - overlapFrames);
    const tried = this.watch.standIn ? await this.rescueChapter(chapter) : null;
    for (const event of lost) {
      const verdict = judgeEvent(event, tried?.kept(event) ?? null, (which) =>
        seriesOf(this.hearing, which, event.start, event.end),
      );
      if (verdict === 'suppressed' || (await this.isNoise(event))) continue;
      const { mask, reason } = kept[verdict];
      mark(masks[mask], maskFrom, event.start, event.end);
      if (event.start >= firstHop && event.start < firstHop + chapterHops)
        this.watch.onPassage({
          reason,
          startSeconds: event.start / hopsPerSecond,
          endSeconds: event.end / hopsPerSecond,
        });
    }
    return tried?.planes.map((plane) => plane.subarray(from - begin, to - begin)) ?? null;
  }

  /** Returns the start of the next chapter. */
  private async decide(total: number | null, emit: EmitPlanes): Promise<number> {
    const chapter = this.currentChapter(total);
    const { from, to, maskFrom, maskTo } = chapter;
    const masks: Masks = {
      music: new Uint8Array(maskTo - maskFrom),
      standIn: new Uint8Array(maskTo - maskFrom),
      original: new Uint8Array(maskTo - maskFrom),
      doubtful: new Uint8Array(maskTo - maskFrom),
    };
    await this.markMusic(masks.music, chapter);
    const saved = await this.markLost(masks, chapter);
    const out = this.readAll(this.wet, from, to);
    const original = this.readAll(this.dry, from, to);
    const shares = sharesOf(maskFrom, masks);
    mixShares(out, saved, original, from, shares);
    if (this.watch.balance !== null) weigh(out, original, from, shares, this.watch.balance);
    release(...original);
    this.chapter += 1;
    this.discardBefore(chapter);
    emit(out, to - from);
    release(...out);
    return to;
  }

  /** Drops what no later chapter needs. */
  private discardBefore({ to, firstHop, firstSecond }: Chapter): void {
    this.wet.discard(to - keptSeconds * suppressorRate);
    this.dry.discard(to - Math.max(passageLeadFrames + overlapFrames, keptSeconds * suppressorRate));
    const keepHop = firstHop + chapterHops - contextSeconds * hopsPerSecond;
    this.heard.discard(keepHop);
    this.left.discard(keepHop);
    const keepSecond = firstSecond + chapterSeconds - contextSeconds;
    this.musical?.discard(keepSecond);
    for (const second of this.seconds.keys()) if (second < keepSecond) this.seconds.delete(second);
  }
}
