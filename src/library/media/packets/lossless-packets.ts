// Packets of FLAC and ALAC by their number: as bytes, and as the samples that they are.
import { closeSync, openSync, readSync } from 'node:fs';
import { type CodecContext, Frame, Packet, type Stream } from 'node-av/lib';
import { EarshotError } from '../../core/errors/errors.ts';
import { createFifo, type Fifo } from '../ffmpeg/fifo.ts';
import { chooseAudioStream, openInput } from '../ffmpeg/ffmpeg.ts';
import { openSoundDecoder } from '../ffmpeg/sound-decoder.ts';
import type { PacketIndex, PacketPlace } from './packet-index.ts';
import { packetAt } from './packet-ranges.ts';

/** Read at once. */
const chunkBytes = 2 ** 20;
/** Decoded packets that are kept: an edge asks for a few again. */
const keptPackets = 4;

const damaged = (): never => {
  throw new EarshotError('file_invalid', 'A packet at an edge is damaged: its sound cannot be encoded again', {
    nextAction: 'Leave out keep_encoding: damaged sound becomes silence then.',
  });
};

export class LosslessPackets {
  readonly index: PacketIndex;
  private readonly handle: number;
  private readonly buffer = Buffer.allocUnsafeSlow(chunkBytes);
  private held: PacketPlace = { at: 0, size: 0 };
  private decoder: { context: CodecContext; fifo: Fifo; packet: Packet; frame: Frame } | null = null;
  private readonly decoded = new Map<number, Float32Array[]>();

  constructor(index: PacketIndex) {
    this.index = index;
    this.handle = openSync(index.facts.path, 'r');
  }

  /** A packet's bytes, valid until the next call. */
  bytes(number: number): Buffer {
    const { at, size } = this.index.places[number] as PacketPlace;
    if (size > chunkBytes) return this.read(Buffer.allocUnsafe(size), at, size);
    if (at < this.held.at || at + size > this.held.at + this.held.size) {
      const got = readSync(this.handle, this.buffer, 0, chunkBytes, at);
      this.held = { at, size: got };
      if (got < size) throw new EarshotError('file_invalid', 'The file became shorter while it was read');
    }
    return this.buffer.subarray(at - this.held.at, at - this.held.at + size);
  }

  private read(into: Buffer, at: number, size: number): Buffer {
    if (readSync(this.handle, into, 0, size, at) === size) return into;
    throw new EarshotError('file_invalid', 'The file became shorter while it was read');
  }

  /** New planes of full scale 1; silence where there is no frame. */
  planes(from: number, frames: number): Float32Array[] {
    const { starts, count, endFrame, channels } = this.index;
    const planes = Array.from({ length: channels }, () => new Float32Array(frames));
    const [first, last] = [Math.max(0, from), Math.min(endFrame, from + frames)];
    for (let number = packetAt(this.index, first); number < count; number += 1) {
      const start = starts[number] as number;
      if (start >= last) break;
      const [low, high] = [Math.max(first, start), Math.min(last, starts[number + 1] as number)];
      for (const [channel, plane] of this.decode(number).entries())
        planes[channel]?.set(plane.subarray(low - start, high - start), low - from);
    }
    return planes;
  }

  private decode(number: number): Float32Array[] {
    const known = this.decoded.get(number);
    if (known) return known;
    const { starts, channels } = this.index;
    const frames = (starts[number + 1] as number) - (starts[number] as number);
    const planes = Array.from({ length: channels }, () => new Float32Array(frames));
    this.decoder ??= this.openDecoder();
    const { context, fifo, packet, frame } = this.decoder;
    packet.data = Buffer.from(this.bytes(number));
    const isTaken = context.sendPacketSync(packet) >= 0 && context.receiveFrameSync(frame) >= 0;
    packet.unref();
    if (!isTaken || frame.nbSamples !== frames || fifo.writeFrame(frame, frames) < 0) damaged();
    frame.unref();
    if (fifo.read(planes, 0, frames) !== frames) damaged();
    this.decoded.set(number, planes);
    for (const [oldest] of this.decoded) if (this.decoded.size > keptPackets) this.decoded.delete(oldest);
    return planes;
  }

  private openDecoder(): NonNullable<LosslessPackets['decoder']> {
    const input = openInput(this.index.facts.path);
    try {
      const context = openSoundDecoder(chooseAudioStream(input.streams) as Stream);
      const fifo = createFifo(context.channelLayout, context.sampleRate, context.sampleFormat);
      const [packet, frame] = [new Packet(), new Frame()];
      packet.alloc();
      frame.alloc();
      return { context, fifo, packet, frame };
    } finally {
      input.close();
    }
  }

  close(): void {
    closeSync(this.handle);
    if (!this.decoder) return;
    const { context, fifo, packet, frame } = this.decoder;
    fifo.close();
    packet.free();
    frame.free();
    context.freeContext();
    this.decoder = null;
  }
}
