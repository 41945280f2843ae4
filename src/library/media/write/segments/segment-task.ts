// Encodes one segment, on any thread.
import { AbortError } from '../../../core/abort.ts';
import { collectGarbage, collectNewGarbage } from '../../../core/machine/collect-garbage.ts';
import type { FanOutTask } from '../../../core/machine/fan-out.ts';
import { type CodecSettings, openPacketEncoder, type PacketEncoder } from '../codec/packet-encoder.ts';
import { type CodedPacket, codedPacket, type PackedPackets, packPackets } from './coded-packet.ts';
import { headReader, headWaiter, headWriter, type SegmentHead } from './heads.ts';
import type { Joiner } from './joiner.ts';
import { type JoinerName, joiners } from './packet-joiners.ts';
import { framesBetween, type SharedSound, soundReader, type SoundSoFar } from './shared-sound.ts';

/** Where a segment ends: joints with the next one are looked for from here on. */
interface SegmentJoint {
  readonly jointFrame: number;
  /** Of the next segment, and the time of its first sample. */
  readonly next: SegmentHead;
  readonly nextStartFrame: number;
}

export interface SegmentItem extends SegmentJoint {
  readonly settings: CodecSettings;
  readonly sound: SharedSound;
  /** Time of its first sample, frames. */
  readonly startFrame: number;
  readonly frames: number;
  /** Does the sound end here? Then so does the encoder. */
  readonly ends: boolean;
  readonly joinerOf: JoinerName;
  readonly head: SegmentHead;
  /** The segment before looks at packets before this time. */
  readonly headUntil: number;
  /** Null where no packets are the same around a joint: the thread does not know whether there is one. */
  readonly following: FollowingSegment | null;
}

/** The next segment, into which an encode goes on that finds no joint with it. */
export interface FollowingSegment extends SegmentJoint {
  /** Its pieces are filled while this segment is encoded. */
  readonly sound: SharedSound;
  readonly soFar: SoundSoFar;
  readonly startFrame: number;
  /** Of its sound, in frames from the start of the whole. */
  readonly from: number;
  readonly to: number;
}

/** Input per look at the next segment's head. */
const framesPerLook = 4 * 1152;

export interface EncodedSegment extends PackedPackets {
  /** Is all of the sound in them that there is? */
  readonly ends: boolean;
  /** Do they go on through the next segment? */
  readonly wentOn: boolean;
}

/** All garbage of a thread is collected after so many of its segments, as in `on-threads.ts`. */
const thoroughEvery = 4;
let encoded = 0;

/** V8 sees little of the memory behind packets, and puts off freeing it. */
function tidy(): void {
  encoded += 1;
  if (encoded % thoroughEvery === 0) collectGarbage();
  else collectNewGarbage();
}

/** Sound, and the time of its first sample. */
interface Stretch {
  readonly sound: SharedSound;
  readonly startFrame: number;
  readonly frames: number;
}

/** An encoder on its way through segments. */
class Encode {
  readonly packets: CodedPacket[] = [];
  readonly encoder: PacketEncoder;
  private readonly settings: CodecSettings;
  private readonly joiner: Joiner;
  private readonly cancelled: () => boolean;
  private readonly writeHead: (packets: readonly CodedPacket[]) => void;
  /** Of the next sample. */
  private time: number;
  private end = 0;
  private read: (time: number, frames: number) => Float32Array[] = () => [];

  constructor(item: SegmentItem, joiner: Joiner, cancelled: () => boolean) {
    const { settings, startFrame, head, headUntil } = item;
    this.settings = settings;
    this.joiner = joiner;
    this.cancelled = cancelled;
    this.time = startFrame;
    this.writeHead = headWriter(head, startFrame, headUntil, joiner.number);
    this.encoder = openPacketEncoder(settings, startFrame, (packet) => this.packets.push(codedPacket(packet)));
    this.hear(item);
  }

  /** What is encoded from now on. */
  hear({ sound, startFrame, frames }: Stretch): void {
    const read = soundReader(sound);
    this.read = (time, count) => read(time - startFrame, count);
    this.end = startFrame + frames;
  }

  /** Up to a time, or the end of the sound. */
  to(time: number): void {
    const until = Math.min(time, this.end);
    while (this.time < until) {
      if (this.cancelled()) throw new AbortError();
      const count = Math.min(this.settings.sampleRate, until - this.time);
      this.encoder.write(this.read(this.time, count), count);
      this.time += count;
      this.writeHead(this.packets);
    }
  }

  /**
   * Up to the joint, and beyond it until packets are those of the next segment, or the sound ends.
   * @returns are they those of the next segment? The rest would only be compared and dropped.
   */
  toJoint({ jointFrame, next, nextStartFrame }: SegmentJoint): boolean {
    const { number, run } = this.joiner;
    this.to(run > 0 ? jointFrame : Number.POSITIVE_INFINITY);
    const isSame = headReader(next, nextStartFrame, { from: jointFrame, number, run });
    const wait = headWaiter(next, nextStartFrame);
    while (this.time < this.end) {
      this.to(this.time + framesPerLook);
      wait(this.packets.at(-1)?.pts ?? 0);
      if (isSame(this.packets)) return true;
    }
    return false;
  }
}

/** null: its sound is not all here yet. */
function stretchOf({ soFar, from, to, ...rest }: FollowingSegment): (Stretch & { readonly ends: boolean }) | null {
  const frames = framesBetween(soFar, from, to);
  return frames && { ...rest, ...frames };
}

export function encodeSegment({ item, cancelled, transfer }: FanOutTask<SegmentItem>): EncodedSegment {
  const encode = new Encode(item, joiners[item.joinerOf], cancelled);
  const { encoder } = encode;
  let { ends } = item;
  let wentOn = false;
  try {
    let isJoined = encode.toJoint(item);
    const { following } = item;
    const more = following && !isJoined && !ends ? stretchOf(following) : null;
    if (following && more) {
      wentOn = true;
      ({ ends } = more);
      encode.hear(more);
      isJoined = encode.toJoint(following);
    }
    if (isJoined) ends = false;
    if (ends) encoder.finish();
  } finally {
    encoder.close();
  }
  const packed = packPackets(encode.packets.splice(0));
  tidy();
  transfer(packed.bytes.buffer, packed.sizes.buffer, packed.pts.buffer, packed.durations.buffer);
  return { ...packed, ends, wentOn };
}
