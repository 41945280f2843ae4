import type { CodedPacket } from './coded-packet.ts';
import type { SegmentRules } from './rules.ts';

/**
 * What is known of the next joint: the later encode takes over; not yet, more packets are needed; or nowhere where one
 * was looked for.
 */
export type Joint = 'joined' | 'open' | 'none';

/** After so many segments in a row without a joint none is looked for: the sound is of a kind that has none. */
const mostMissed = 3;

/** Where packets go. */
export interface PacketTaker {
  coded(packet: CodedPacket): void;
  /** Told the time of each joint, frames. */
  readonly onJoint?: ((pts: number) => void) | undefined;
}

/** Where two encodes may be joined, in frames from the start of the sound. */
export interface JointPlace {
  readonly from: number;
  /** So far on from there. */
  readonly search: number;
}

/** Of the joint with this number, from 1; null: there is none any more. */
export type JointPlaces = (number: number) => JointPlace | null;

/**
 * Puts the packets of segments in a line. The decision on a joint rests on the packets of both encodes alone, in the
 * order of time: whether they come at once or one by one, the file is the same.
 */
export class SegmentLine {
  private readonly rules: SegmentRules;
  private readonly startFrame: number;
  private readonly taker: PacketTaker;
  /** Of the segment that is written now: those not written yet, and before them those that a joint may read. */
  private earlier: CodedPacket[] = [];
  /** How many of them are written. */
  private written = 0;
  private later: CodedPacket[] | null = null;
  /** Number of the segment after the next joint. */
  private nextSegment = 1;
  /** Places in the two lists that are no joint are not looked at again. */
  private earlierAt = 0;
  private laterAt = 0;
  /** Segments in a row without a joint. */
  private missed = 0;
  private readonly places: JointPlaces | null;

  /**
   * @param startFrame time of the first sample
   * @param places null: where segments begin, and none after some in a row had no joint
   */
  constructor(rules: SegmentRules, startFrame: number, taker: PacketTaker, places: JointPlaces | null = null) {
    this.rules = rules;
    this.startFrame = startFrame;
    this.taker = taker;
    this.places = places;
  }

  private get place(): JointPlace {
    const { length, search } = this.rules;
    if (!this.places) return { from: this.nextSegment * length, search };
    return this.places(this.nextSegment) ?? { from: Number.POSITIVE_INFINITY, search };
  }

  /** Joints are looked for from here on. */
  private get from(): number {
    return this.startFrame + this.place.from;
  }

  /** Does the encode that is written now go on to the end? Segments that follow are not needed. */
  get isUndivided(): boolean {
    return this.places === null && this.missed >= mostMissed;
  }

  /** Packets before this time go out as they come; those from it on are held back. */
  get holdFrom(): number {
    return this.isUndivided ? Number.POSITIVE_INFINITY : this.from - this.rules.held;
  }

  /** Time of the last packet of the segment that is written now; -Infinity: none is held. */
  get lastPts(): number {
    return this.earlier.at(-1)?.pts ?? Number.NEGATIVE_INFINITY;
  }

  /** Takes packets of the segment that is written now, in order. */
  takeEarlier(packets: readonly CodedPacket[]): void {
    for (const packet of packets) this.earlier.push(packet);
    this.writeBefore(this.holdFrom);
  }

  /** Takes packets of the next segment, in order. */
  takeLater(packets: readonly CodedPacket[]): void {
    this.later ??= [];
    for (const packet of packets) this.later.push(packet);
  }

  /** Looks for the next joint in what has come. */
  look(): Joint {
    const { earlier, later } = this;
    const { joiner } = this.rules;
    const { search } = this.place;
    const { from } = this;
    if (later === null) return 'open';
    for (; this.earlierAt + joiner.after < earlier.length; this.earlierAt += 1) {
      const { pts } = earlier[this.earlierAt] as CodedPacket;
      if (pts < from) continue;
      if (pts > from + search) return 'none';
      while (this.laterAt < later.length && (later[this.laterAt] as CodedPacket).pts < pts) this.laterAt += 1;
      if (this.laterAt + joiner.after >= later.length) return 'open';
      if ((later[this.laterAt] as CodedPacket).pts !== pts) continue;
      const changed = joiner.join(earlier, this.earlierAt, later, this.laterAt);
      if (changed === null) continue;
      this.join(changed);
      return 'joined';
    }
    return 'open';
  }

  private join(changed: readonly CodedPacket[]): void {
    const { earlier, earlierAt, later, laterAt } = this;
    const kept = earlier.slice(0, earlierAt);
    kept.splice(earlierAt - changed.length, changed.length, ...changed);
    for (const packet of kept.slice(this.written)) this.taker.coded(packet);
    this.taker.onJoint?.((earlier[earlierAt] as CodedPacket).pts);
    this.earlier = (later as CodedPacket[]).slice(laterAt);
    this.written = 0;
    this.missed = 0;
    this.pass();
    this.writeBefore(this.holdFrom);
  }

  /** The next segment's encode is not used: the earlier one goes on to the joint after that. */
  giveUp(): void {
    this.missed += 1;
    this.pass();
    this.writeBefore(this.holdFrom);
  }

  private pass(): void {
    this.later = null;
    this.earlierAt = 0;
    this.laterAt = 0;
    this.nextSegment += 1;
  }

  /** Nothing more comes: writes what is left of the segment that is written now. */
  end(): void {
    this.writeBefore(Number.POSITIVE_INFINITY);
  }

  private writeBefore(time: number): void {
    while (this.written < this.earlier.length) {
      const packet = this.earlier[this.written] as CodedPacket;
      if (packet.pts >= time) break;
      this.taker.coded(packet);
      this.written += 1;
    }
    // Written packets stay only as long as a joint may read them.
    const { before } = this.rules.joiner;
    if (this.written > 4 * before + 64) {
      const dropped = this.written - before;
      this.earlier.splice(0, dropped);
      this.written = before;
      this.earlierAt = Math.max(0, this.earlierAt - dropped);
    }
  }
}
