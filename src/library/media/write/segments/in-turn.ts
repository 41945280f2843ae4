import type { Packet } from 'node-av/lib';
import { type CodecSettings, type OpenedCodec, openPacketEncoder, PacketEncoder } from '../codec/packet-encoder.ts';
import { codedPacket } from './coded-packet.ts';
import { type PacketTaker, SegmentLine } from './line.ts';
import type { SegmentRules } from './rules.ts';

/** Packets that waited for a joint come as ours, all others as FFmpeg's own. */
export interface EveryPacketTaker extends PacketTaker {
  own(packet: Packet): void;
}

/** Input per look for a joint, packets of an MP3: more would be encoded in vain beyond it. */
const framesPerLook = 4 * 1152;

/**
 * Encodes segments in this thread, as the sound comes: two encoders run only around a joint. The file is the one that
 * threads make.
 */
export class InTurn {
  private readonly settings: CodecSettings;
  private readonly rules: SegmentRules;
  private readonly startFrame: number;
  private readonly taker: EveryPacketTaker;
  private readonly line: SegmentLine;
  private current: PacketEncoder;
  private next: PacketEncoder | null = null;
  private nextSegment = 1;
  private position = 0;

  /**
   * @param opened for the first segment; closed with it
   * @param startFrame time of the first sample
   */
  constructor(opened: OpenedCodec, rules: SegmentRules, startFrame: number, taker: EveryPacketTaker) {
    const { context, settings } = opened;
    this.settings = settings;
    this.rules = rules;
    this.startFrame = startFrame;
    this.taker = taker;
    this.line = new SegmentLine(rules, startFrame, taker);
    this.current = new PacketEncoder(context, settings, startFrame, (packet) => this.takeEarlier(packet));
  }

  private takeEarlier(packet: Packet): void {
    if (Number(packet.pts) < this.line.holdFrom) this.taker.own(packet);
    else this.line.takeEarlier([codedPacket(packet)]);
  }

  private openNext(): PacketEncoder {
    const encoder = openPacketEncoder(this.settings, this.startFrame + this.position, (packet) => {
      if (encoder === this.next) this.line.takeLater([codedPacket(packet)]);
      else this.takeEarlier(packet);
    });
    return encoder;
  }

  write(planes: readonly Float32Array[], frames: number): void {
    for (let at = 0; at < frames;) {
      const step = Math.min(frames - at, this.untilStop());
      const part = planes.map((plane) => plane.subarray(at, at + step));
      this.current.write(part, step);
      this.next?.write(part, step);
      at += step;
      this.position += step;
      this.stop();
    }
  }

  /** Frames until another encoder starts, or a joint is looked for. */
  private untilStop(): number {
    if (this.line.isUndivided) return Number.POSITIVE_INFINITY;
    const { length, preroll, overlap } = this.rules;
    const boundary = this.nextSegment * length;
    if (!this.next) return boundary - preroll - this.position;
    const until = this.position < boundary ? boundary : boundary + overlap;
    return Math.min(until - this.position, framesPerLook);
  }

  private stop(): void {
    if (this.line.isUndivided) return;
    const { length, preroll, overlap } = this.rules;
    const boundary = this.nextSegment * length;
    if (!this.next) {
      if (this.position >= boundary - preroll) this.next = this.openNext();
      return;
    }
    if (this.position < boundary) return;
    if (this.line.look() === 'joined') this.handOver(this.next);
    else if (this.position >= boundary + overlap) this.giveUp(this.next);
  }

  private handOver(next: PacketEncoder): void {
    this.current.close();
    this.current = next;
    this.next = null;
    this.nextSegment += 1;
  }

  private giveUp(next: PacketEncoder): void {
    next.close();
    this.next = null;
    this.nextSegment += 1;
    this.line.giveUp();
  }

  finish(): void {
    this.current.finish();
    this.next?.finish();
    if (this.next) this.line.look();
    this.line.end();
  }

  close(): void {
    this.current.close();
    this.next?.close();
    this.next = null;
  }
}
