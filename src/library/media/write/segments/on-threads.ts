import { setImmediate as turn } from 'node:timers/promises';
import { abortErrorOf, throwIfAborted } from '../../../core/abort.ts';
import type { FanOut } from '../../../core/fan-out.ts';
import { moduleUrl } from '../../../core/running-files.ts';
import { type CodecSettings, openPacketEncoder, type PacketEncoder } from '../codec/packet-encoder.ts';
import { type CodedPacket, codedPacket, unpackPackets } from './coded-packet.ts';
import { makeHead, type SegmentHead } from './heads.ts';
import { type Joint, type PacketTaker, SegmentLine } from './line.ts';
import type { SegmentRules } from './rules.ts';
import type { EncodedSegment, SegmentItem } from './segment-task.ts';
import { bytesOf, makeSharedSound, planesOf, type SharedSound, soundReader } from './shared-sound.ts';

const taskUrl = moduleUrl('library/media/write/segments/segment-task');

/** FFmpeg on a thread of Node's, without the sound that it is given. */
const threadBytes = 45e6;
/** Sound that waits, is encoded, or may be needed once more: with four threads a job stays near 400 MB. */
const mostSoundBytes = 190e6;
/** Segments besides those that are encoded: one being filled, one that may have to be gone on from, one begun. */
const besides = 3;

/** On how many threads segments are encoded; 1: not worth a thread, or no memory for one. */
export function segmentLanes(settings: CodecSettings, rules: SegmentRules, fanOut: FanOut): number {
  const segmentBytes = bytesOf(settings.channels, capacityOf(rules));
  const inBound = Math.floor(mostSoundBytes / segmentBytes) - besides;
  return Math.max(1, Math.min(inBound, fanOut.lanes(threadBytes + segmentBytes, besides * segmentBytes)));
}

const capacityOf = ({ length, preroll, overlap }: SegmentRules): number => preroll + length + overlap;

interface Segment {
  readonly sound: SharedSound;
  readonly planes: readonly Float32Array[];
  /** Its sound, in frames from the start of the whole. */
  readonly from: number;
  readonly to: number;
  filled: number;
}

/** Of a segment, in order; null: the sound ended before it. */
type Packets = { readonly packets: CodedPacket[]; readonly ends: boolean } | null;

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
  private readonly most: number;
  private readonly stopping = new AbortController();
  private readonly signal: AbortSignal;
  private readonly segments = new Map<number, Segment>();
  private readonly packets = new Map<number, PromiseWithResolvers<Packets>>();
  private readonly heads = new Map<number, SegmentHead>();
  /** Memory of segments that are done. */
  private readonly unused: SharedSound[] = [];
  private nextSegment = 0;
  private position = 0;
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
    // One more is begun before the one in front of it is full.
    this.most = lanes + besides - 1;
    this.line = new SegmentLine(rules, startFrame, taker);
    this.joining = this.joinAll().catch((thrown: unknown) => this.fail(thrown));
  }

  write(planes: readonly Float32Array[], frames: number): void {
    for (let at = 0; at < frames;) {
      const begins = this.startOf(this.nextSegment);
      if (begins <= this.position) {
        this.begin(begins);
        continue;
      }
      const step = Math.min(frames - at, begins - this.position);
      for (const [number, segment] of this.segments) {
        const room = Math.min(step, segment.to - this.position);
        if (room <= 0 || segment.filled === segment.to - segment.from) continue;
        for (const [channel, plane] of segment.planes.entries())
          plane.set((planes[channel] as Float32Array).subarray(at, at + room), segment.filled);
        segment.filled += room;
        if (segment.filled === segment.to - segment.from) this.submit(number, segment, false);
      }
      at += step;
      this.position += step;
    }
  }

  private startOf(number: number): number {
    return Math.max(0, number * this.rules.length - this.rules.preroll);
  }

  private begin(from: number): void {
    const sound = this.unused.pop() ?? makeSharedSound(this.settings.channels, capacityOf(this.rules));
    const to = (this.nextSegment + 1) * this.rules.length + this.rules.overlap;
    this.segments.set(this.nextSegment, { sound, planes: planesOf(sound), from, to, filled: 0 });
    this.nextSegment += 1;
  }

  private submit(number: number, { sound, from, filled }: Segment, ends: boolean): void {
    const { settings } = this;
    const { joinerOf } = this.rules;
    const item: SegmentItem = {
      settings,
      sound,
      startFrame: this.startFrame + from,
      frames: filled,
      ends,
      joinerOf,
      head: this.headOf(number),
      headUntil: this.startFrame + number * this.rules.length + this.rules.overlap,
      next: this.headOf(number + 1),
      nextStartFrame: this.startFrame + this.startOf(number + 1),
      jointFrame: this.startFrame + (number + 1) * this.rules.length,
    };
    void this.encode(item, this.packetsOf(number));
  }

  private async encode(item: SegmentItem, done: PromiseWithResolvers<Packets>): Promise<void> {
    const { signal } = this;
    try {
      const [encoded] = await this.fanOut.map<SegmentItem, EncodedSegment>(taskUrl, 'encodeSegment', [item], {
        signal,
      });
      const { ends, ...packed } = encoded as EncodedSegment;
      done.resolve({ packets: unpackPackets(packed), ends });
    } catch (thrown) {
      this.fail(thrown);
      done.reject(thrown);
    }
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
    try {
      for (let number = 1; ; number += 1) {
        const next = await this.packetsOf(number).promise;
        this.packets.delete(number - 1);
        if (next) this.line.takeLater(next.packets);
        let joint: Joint = next ? this.line.look() : 'none';
        if (joint !== 'joined' && !ends) {
          const before = this.segments.get(number - 1) as Segment;
          behind ??= this.again(before);
          joint = await this.goOn(behind, before, next === null);
        }
        if (next === null) return this.line.end();
        if (joint === 'joined') {
          behind?.close();
          behind = null;
          ({ ends } = next);
        } else this.line.giveUp();
        this.release(number - 1);
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
  private async goOn(behind: PacketEncoder, { sound, from, filled }: Segment, ends: boolean): Promise<Joint> {
    const read = soundReader(sound);
    while (this.behindAt < from + filled) {
      throwIfAborted(this.signal);
      const count = Math.min(from + filled - this.behindAt, Math.ceil(this.settings.sampleRate / 4));
      behind.write(read(this.behindAt - from, count), count);
      this.behindAt += count;
      if (this.line.look() === 'joined') return 'joined';
      await turn();
    }
    if (ends) behind.finish();
    return this.line.look();
  }

  private release(number: number): void {
    const segment = this.segments.get(number);
    if (segment) this.unused.push(segment.sound);
    this.segments.delete(number);
    this.wake?.();
  }

  /** null: more can be written now. Otherwise resolves when it can; rejects with a thread's failure. */
  ready(): Promise<void> | null {
    return this.failure === null && this.segments.size <= this.most ? null : this.waitForRoom();
  }

  private async waitForRoom(): Promise<void> {
    while (this.failure === null && this.segments.size > this.most)
      await new Promise<void>((resolve) => (this.wake = resolve));
    if (this.failure) throw this.failure.thrown;
  }

  private readonly aborted = (): void => this.fail(abortErrorOf(this.signal));

  private fail(thrown: unknown): void {
    this.failure ??= { thrown };
    this.stopping.abort();
    this.wake?.();
  }

  async finish(): Promise<void> {
    if (this.nextSegment === 0) this.begin(0);
    for (const [number, segment] of this.segments)
      if (segment.filled < segment.to - segment.from) this.submit(number, segment, true);
    this.packetsOf(this.nextSegment).resolve(null);
    await this.joining;
    if (this.failure) throw this.failure.thrown;
  }

  /** Threads stop soon; what they still hold is theirs. */
  close(): void {
    this.stopping.abort();
  }
}
