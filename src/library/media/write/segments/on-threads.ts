import { setImmediate as turn } from 'node:timers/promises';
import { abortErrorOf, throwIfAborted } from '../../../core/abort.ts';
import type { FanOut } from '../../../core/machine/fan-out.ts';
import { moduleUrl } from '../../../core/running-files.ts';
import { type CodecSettings, openPacketEncoder, type PacketEncoder } from '../codec/packet-encoder.ts';
import { type CodedPacket, codedPacket, unpackPackets } from './coded-packet.ts';
import { makeHead, type SegmentHead } from './heads.ts';
import { type Joint, type PacketTaker, SegmentLine } from './line.ts';
import type { SegmentRules } from './rules.ts';
import type { EncodedSegment, FollowingSegment, SegmentItem } from './segment-task.ts';
import { soundBytes, SoundQueue, soundReader } from './shared-sound.ts';

const taskUrl = moduleUrl('library/media/write/segments/segment-task');

/** FFmpeg on a thread of Node's, without the sound that it is given. */
const threadBytes = 36e6;
/** Threads, and sound that waits, is encoded, or may be needed once more: with the rest a job stays below 400 MB. */
const mostBytes = 285e6;
/** Segments besides those that are encoded: one that may have to be gone on from, and one being filled. */
const besides = 2;

/** What FFmpeg's MP4 muxer keeps of each packet until the end: 10 MB an hour of AAC. */
const indexedBytes = 64;

/** On how many threads segments are encoded; 1: not worth a thread, or no memory for one. */
export function segmentLanes(
  settings: CodecSettings,
  rules: SegmentRules,
  expectedSeconds: number,
  fanOut: FanOut,
): number {
  const segmentBytes = soundBytes(settings.channels, rules.length);
  const isIndexed = rules.joinerOf === 'aac' && settings.globalHeader;
  const indexBytes = isIndexed ? ((expectedSeconds * settings.sampleRate) / rules.packet) * indexedBytes : 0;
  const sharedBytes = besides * segmentBytes + indexBytes;
  const inBound = Math.floor((mostBytes - sharedBytes) / (threadBytes + segmentBytes));
  return Math.max(1, Math.min(inBound, fanOut.lanes(threadBytes + segmentBytes, sharedBytes)));
}

/** All garbage is collected after so many segments. */
const thoroughEvery = 4;

/**
 * V8 sees little of the memory behind packets, and puts off freeing it: 60 MB in an hour. To collect all garbage and to
 * give memory back takes 30 ms, and wakes threads of V8's: a twentieth of an encode, if it were done for each segment.
 */
async function tidy(number: number): Promise<void> {
  // Loaded here, since few sounds are so long.
  const { collectGarbage, collectNewGarbage } = await import('../../../core/machine/collect-garbage.ts');
  if (number % thoroughEvery !== 0) return collectNewGarbage();
  const { freeUnusedMemory } = await import('../../../kernels/free-memory.ts');
  collectGarbage();
  freeUnusedMemory();
}

/** Its sound, in frames from the start of the whole. */
interface Segment {
  readonly from: number;
  /** Or where all sound ends, if that is before. */
  readonly to: number;
}

/** Of a segment, in order; null: the sound ended before it. */
type Packets = (Pick<EncodedSegment, 'ends' | 'wentOn'> & { readonly packets: CodedPacket[] }) | null;

/** Of a segment that is not needed. */
const notEncoded: Packets = { packets: [], ends: false, wentOn: false };

/** The threads of a run, and what ends it; a RunContext fits. */
export interface Threads {
  readonly fanOut: FanOut;
  readonly signal: AbortSignal;
}

/** Encodes segments on threads, and joins what they return. */
export class OnThreads {
  private readonly settings: CodecSettings;
  private readonly rules: SegmentRules;
  private readonly startFrame: number;
  private readonly fanOut: FanOut;
  private readonly line: SegmentLine;
  private readonly lanes: number;
  private readonly stopping = new AbortController();
  private readonly signal: AbortSignal;
  private readonly segments = new Map<number, Segment>();
  private readonly packets = new Map<number, PromiseWithResolvers<Packets>>();
  private readonly heads = new Map<number, SegmentHead>();
  private readonly sound: SoundQueue;
  private nextSegment = 0;
  /** All before it are given to threads. */
  private nextSubmitted = 0;
  /** Threads that encode now. */
  private active = 0;
  /** Has all sound come? */
  private isWhole = false;
  /** All before it are released. */
  private nextReleased = 0;
  private readonly joining: Promise<void>;
  private failure: { readonly thrown: unknown } | null = null;
  private wake: (() => void) | null = null;
  /** Up to where the encoder behind a joint that was not found has got. */
  private behindAt = 0;

  /** @param startFrame time of the first sample */
  constructor(
    settings: CodecSettings,
    rules: SegmentRules,
    startFrame: number,
    { fanOut, signal, lanes }: Threads & { readonly lanes: number },
    taker: PacketTaker,
  ) {
    this.settings = settings;
    this.rules = rules;
    this.startFrame = startFrame;
    this.fanOut = fanOut;
    this.signal = AbortSignal.any([signal, this.stopping.signal]);
    signal.addEventListener('abort', this.aborted, { once: true, signal: this.stopping.signal });
    this.sound = new SoundQueue(settings.channels, fanOut);
    this.lanes = lanes;
    this.line = new SegmentLine(rules, startFrame, taker);
    this.joining = this.joinAll().catch((thrown: unknown) => this.fail(thrown));
  }

  write(planes: readonly Float32Array[], frames: number): void {
    this.sound.append(planes, frames);
    while (this.startOf(this.nextSegment) < this.sound.length) this.begin();
    this.submit();
  }

  /** Is all of its sound here? */
  private isFull({ to }: Segment): boolean {
    return to <= this.sound.length;
  }

  private startOf(number: number): number {
    return Math.max(0, number * this.rules.length - this.rules.preroll);
  }

  private endOf(number: number): number {
    return (number + 1) * this.rules.length + this.rules.overlap;
  }

  private begin(): void {
    const number = this.nextSegment;
    this.segments.set(number, { from: this.startOf(number), to: this.endOf(number) });
    this.nextSegment += 1;
  }

  private soundOf({ from, to }: Segment): Pick<SegmentItem, 'sound' | 'frames'> {
    const end = Math.min(to, this.sound.length);
    return { sound: this.sound.stretch(from, end), frames: end - from };
  }

  /** Gives segments to threads that have none. */
  private submit(): void {
    while (this.active < this.lanes) {
      const segment = this.segments.get(this.nextSubmitted);
      if (!segment || !(this.isWhole || this.isFull(segment))) return;
      const item = this.itemOf(this.nextSubmitted, segment);
      this.nextSubmitted += 1;
      void this.encode(this.nextSubmitted - 1, item);
    }
  }

  private itemOf(number: number, segment: Segment): SegmentItem {
    const { settings } = this;
    const { joinerOf, joiner } = this.rules;
    const ends = !this.isFull(segment);
    return {
      settings,
      ...this.soundOf(segment),
      startFrame: this.startFrame + segment.from,
      ends,
      joinerOf,
      head: this.headOf(number),
      headUntil: this.startFrame + this.endOf(number - 1),
      ...this.jointOf(number),
      following: joiner.run > 0 && !ends ? this.followingOf(number) : null,
    };
  }

  private jointOf(number: number): Pick<SegmentItem, 'jointFrame' | 'next' | 'nextStartFrame'> {
    return {
      jointFrame: this.startFrame + (number + 1) * this.rules.length,
      next: this.headOf(number + 1),
      nextStartFrame: this.startFrame + this.startOf(number + 1),
    };
  }

  private followingOf(number: number): FollowingSegment {
    const from = this.startOf(number + 1);
    const to = this.endOf(number + 1);
    return {
      sound: this.sound.ahead(from, to),
      soFar: this.sound.soFar,
      startFrame: this.startFrame + from,
      from,
      to,
      ...this.jointOf(number + 1),
    };
  }

  private async encode(number: number, item: SegmentItem): Promise<void> {
    const done = this.packetsOf(number);
    this.active += 1;
    try {
      if (this.line.isUndivided) done.resolve(notEncoded);
      else {
        const { signal } = this;
        const [encoded] = await this.fanOut.map<SegmentItem, EncodedSegment>(taskUrl, 'encodeSegment', [item], {
          signal,
        });
        const { ends, wentOn, ...packed } = encoded as EncodedSegment;
        done.resolve({ packets: unpackPackets(packed), ends, wentOn });
      }
    } catch (thrown) {
      this.fail(thrown);
      done.reject(thrown);
    }
    this.active -= 1;
    this.submit();
  }

  private headOf(number: number): SegmentHead {
    const head = this.heads.get(number) ?? makeHead();
    this.heads.set(number, head);
    this.heads.delete(number - 2);
    return head;
  }

  private packetsOf(number: number): PromiseWithResolvers<Packets> {
    let packets = this.packets.get(number);
    if (!packets) {
      this.packets.set(number, (packets = Promise.withResolvers()));
      // The code that waits for it gets its failure.
      packets.promise.catch(() => undefined);
    }
    return packets;
  }

  /** Joins what threads return, in order; one after the other, so that nothing is shared. */
  private async joinAll(): Promise<void> {
    const first = await this.packetsOf(0).promise;
    if (first === null) return;
    this.line.takeEarlier(first.packets);
    let { ends } = first;
    let behind: PacketEncoder | null = null;
    // The segment whose encode is written now, and the last one that its packets go through.
    let current = 0;
    let last = first.wentOn ? 1 : 0;
    try {
      for (let number = 1; ; number += 1) {
        const next = await this.packetsOf(number).promise;
        this.packets.delete(number - 1);
        const isTried = next !== null && next !== notEncoded && !this.line.isUndivided;
        if (isTried) this.line.takeLater(next.packets);
        let joint: Joint = isTried ? this.line.look() : 'none';
        if (joint !== 'joined' && !ends && last < number) {
          let from = number - 1;
          if (behind === null) {
            behind = this.again(this.segments.get(current) as Segment);
            from = current;
          }
          for (; from < number && joint !== 'joined'; from += 1)
            joint = await this.goOn(behind, this.segments.get(from) as Segment, next === null && from === number - 1);
        }
        if (next === null) return this.line.end();
        if (joint === 'joined') {
          behind?.close();
          behind = null;
          ({ ends } = next);
          current = number;
          last = next.wentOn ? number + 1 : number;
        } else this.line.giveUp();
        // An encode that went on in its thread may have to be done again from its start: its sound stays.
        if (joint === 'joined' || behind) this.release(number);
        await tidy(number - 1);
      }
    } finally {
      behind?.close();
    }
  }

  /** The thread has closed its encoder: another one does the same again, in this thread, to go on from there. */
  private again({ from }: Segment): PacketEncoder {
    const known = this.line.lastPts;
    this.behindAt = from;
    return openPacketEncoder(this.settings, this.startFrame + from, (packet) => {
      if (Number(packet.pts) > known) this.line.takeEarlier([codedPacket(packet)]);
    });
  }

  /** Goes on to the end of a segment's sound, or to a joint before it. */
  private async goOn(behind: PacketEncoder, segment: Segment, ends: boolean): Promise<Joint> {
    const { sound, frames } = this.soundOf(segment);
    const read = soundReader(sound);
    const end = segment.from + frames;
    while (this.behindAt < end) {
      throwIfAborted(this.signal);
      const count = Math.min(end - this.behindAt, Math.ceil(this.settings.sampleRate / 4));
      behind.write(read(this.behindAt - segment.from, count), count);
      this.behindAt += count;
      if (this.line.look() === 'joined') return 'joined';
      await turn();
    }
    if (ends) behind.finish();
    return this.line.look();
  }

  /** Segments before this one are not needed any more. */
  private release(number: number): void {
    for (; this.nextReleased < number; this.nextReleased += 1) this.segments.delete(this.nextReleased);
    this.sound.dropBefore(this.startOf(number));
    this.wake?.();
  }

  /** null: more can be written now. Otherwise resolves when it can; rejects with a thread's failure. */
  ready(): Promise<void> | null {
    return this.failure === null && this.hasRoom ? null : this.waitForRoom();
  }

  private get hasRoom(): boolean {
    // The last one is only begun.
    return this.segments.size <= this.lanes + besides;
  }

  private async waitForRoom(): Promise<void> {
    while (this.failure === null && !this.hasRoom) await new Promise<void>((resolve) => (this.wake = resolve));
    if (this.failure) throw this.failure.thrown;
  }

  private readonly aborted = (): void => this.fail(abortErrorOf(this.signal));

  private fail(thrown: unknown): void {
    this.failure ??= { thrown };
    this.stopping.abort();
    this.wake?.();
  }

  async finish(): Promise<void> {
    if (this.nextSegment === 0) this.begin();
    this.isWhole = true;
    this.sound.end();
    this.submit();
    this.packetsOf(this.nextSegment).resolve(null);
    await this.joining;
    if (this.failure) throw this.failure.thrown;
    this.sound.dropAll();
  }

  /** Threads stop soon; what they still hold is theirs. */
  close(): void {
    this.stopping.abort();
  }
}
