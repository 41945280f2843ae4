// Encodes one segment, on any thread.
import { AbortError } from '../../../core/abort.ts';
import { collectGarbage, collectNewGarbage } from '../../../core/collect-garbage.ts';
import type { FanOutTask } from '../../../core/fan-out.ts';
import { type CodecSettings, openPacketEncoder } from '../codec/packet-encoder.ts';
import { type CodedPacket, codedPacket, type PackedPackets, packPackets } from './coded-packet.ts';
import { headReader, headWriter, type SegmentHead } from './heads.ts';
import { joinerOfEncoder, type JoinerName } from './joiners.ts';
import { sampleBytes } from './sample-bytes.ts';
import { type SharedSound, soundReader } from './shared-sound.ts';

export interface SegmentItem {
  readonly settings: CodecSettings;
  readonly sound: SharedSound;
  /** Time of its first sample, frames. */
  readonly startFrame: number;
  /** Of an exact codec: packets before it in the whole sound. */
  readonly packetsBefore: number;
  /** Up to the next segment, or the sound's end. */
  readonly sampledFrames: number;
  readonly frames: number;
  /** Does the sound end here? Then so does the encoder. */
  readonly ends: boolean;
  readonly joinerOf: JoinerName;
  readonly head: SegmentHead;
  /** The segment before looks at packets before this time. */
  readonly headUntil: number;
  /** Of the next segment, and the time of its first sample. */
  readonly next: SegmentHead;
  readonly nextStartFrame: number;
  /** Joints with the next segment are looked for from this time on. */
  readonly jointFrame: number;
}

/** Input per look at the next segment's head. */
const framesPerLook = 4 * 1152;

export interface EncodedSegment extends PackedPackets {
  /** Is all of the sound in them that there is? */
  readonly ends: boolean;
  /** Up to the next segment, where the codec states something of the whole sound. */
  readonly samples: Uint8Array<ArrayBuffer> | null;
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

export function encodeSegment({ item, cancelled, transfer }: FanOutTask<SegmentItem>): EncodedSegment {
  const { settings, sound, startFrame, frames, ends, jointFrame } = item;
  const ownFrames = jointFrame - startFrame;
  const joiner = joinerOfEncoder(item.joinerOf);
  const { number, run } = joiner;
  const samples = joiner.wholeSound ? sampleBytes(settings, item.sampledFrames) : null;
  const packets: CodedPacket[] = [];
  const write = headWriter(item.head, startFrame, item.headUntil, number);
  const sameAsNext = headReader(item.next, item.nextStartFrame, { from: jointFrame, number, run });
  const encoder = openPacketEncoder(settings, startFrame, (packet) => {
    const coded = codedPacket(packet);
    // FFmpeg's FLAC ends with its header in a packet without bytes.
    if (joiner.exact && coded.data.length === 0) return;
    packets.push(joiner.placed?.(coded, item.packetsBefore + packets.length) ?? coded);
  });
  if (samples) encoder.onSamples = (bytes, count) => samples.take(bytes, count);
  let stopped = false;
  try {
    const read = soundReader(sound);
    for (let at = 0; at < frames;) {
      if (cancelled()) throw new AbortError();
      const step = at < ownFrames ? Math.min(settings.sampleRate, ownFrames - at) : framesPerLook;
      const count = Math.min(step, frames - at);
      encoder.write(read(at, count), count);
      at += count;
      write(packets);
      // The rest would only be compared and dropped.
      if (run > 0 && at > ownFrames && sameAsNext(packets)) {
        stopped = true;
        break;
      }
    }
    if (ends && !stopped) encoder.finish();
  } finally {
    encoder.close();
  }
  const packed = packPackets(packets.splice(0));
  tidy();
  const sampled = samples?.bytes ?? null;
  transfer(packed.bytes.buffer, packed.sizes.buffer, packed.pts.buffer, packed.durations.buffer);
  if (sampled) transfer(sampled.buffer);
  return { ...packed, ends: ends && !stopped, samples: sampled };
}
