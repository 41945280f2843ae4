// Writes kept stretches of recordings by their packets: nothing is decoded or encoded.
import { setImmediate as turn } from 'node:timers/promises';
import { Packet, type Stream } from 'node-av/lib';
import { throwIfAborted } from '../../core/abort.ts';
import type { Warning } from '../../core/progress/progress.ts';
import { chooseAudioStream, openInput } from '../ffmpeg/ffmpeg.ts';
import type { SourcePart } from '../kept.ts';
import type { Tags } from '../tags/model.ts';
import { type CodedPacket, codedPacket } from '../write/segments/coded-packet.ts';
import { bytesBefore } from '../write/segments/mp3-frame.ts';
import { layReservoir, reachOf, silentFrame } from './mp3-seam.ts';
import { stateDelay } from './mp3-table.ts';
import type { PacketIndex } from './packet-index.ts';
import type { PacketRange } from './packet-ranges.ts';
import { PacketWriter } from './packet-writer.ts';

/** Packets of one recording that are in the copy, in order. */
export interface KeptPackets {
  readonly index: PacketIndex;
  readonly ranges: readonly PacketRange[];
}

export interface KeepPacketsOptions {
  readonly signal: AbortSignal;
  /** 0 to 1. */
  onProgress(fraction: number): void;
  readonly tags: Tags;
  /** Where chapters are from. */
  readonly sources: readonly [SourcePart, ...SourcePart[]];
}

/**
 * A decoder is right so many frames after it begins: RFC 7845, section 4.6; two granules of MP3, whose second one fades
 * with the first; the packet before.
 */
const prerollFrames = { opus: 3840, mp3: 1152, aac: 1, vorbis: 1, flac: 0, alac: 0 };
/** An MP3 of which nothing is said decodes to so many frames before the sound; players take them off with a delay. */
const mp3DecoderFrames = 529;
/** In an Opus file's header (RFC 7845, section 5.1). */
const opusSkipAt = 10;
/** Frames of MP3 that the sound of one can reach back into: 511 bytes, of 13 each at the lowest bit rate. */
const reach = 40;
const packetsPerTurn = 512;

/** The packet that a copy begins with, so that what is heard of `range` decodes right. */
function prerolled({ codec, starts }: PacketIndex, { from, startFrame }: PacketRange): number {
  const frames = prerollFrames[codec];
  let first = from;
  while (first > 0 && (starts[from] as number) - (starts[first] as number) < frames) first -= 1;
  return startFrame <= 0 ? 0 : first;
}

const trimmed = (frames: number): Uint8Array => {
  const skip = Buffer.alloc(10);
  skip.writeUInt32LE(frames, 4);
  return skip;
};

/** Takes packets in their order and gives them the times of the copy. The last ones wait, for what meets them. */
class Line {
  private waiting: CodedPacket[] = [];
  private readonly held: number;
  private readonly emit: (packet: CodedPacket) => void;
  private at: number;

  /** Frames before what is heard. */
  skipped: number;

  constructor(skipped: number, held: number, emit: (packet: CodedPacket) => void) {
    this.skipped = skipped;
    this.at = -skipped;
    this.held = held;
    this.emit = emit;
  }

  /** Puts a packet before the first one. */
  lead(packet: CodedPacket): void {
    this.skipped += packet.duration;
    this.at -= packet.duration;
    this.push(packet);
  }

  push(packet: CodedPacket): void {
    this.waiting.push({ ...packet, pts: this.at, skip: null });
    this.at += packet.duration;
    while (this.waiting.length > this.held) this.emit(this.waiting.shift() as CodedPacket);
  }

  get last(): readonly CodedPacket[] {
    return this.waiting;
  }

  replaceLast(packets: readonly CodedPacket[]): void {
    this.waiting.splice(this.waiting.length - packets.length, packets.length, ...packets);
  }

  /** @param padding frames of the last packet that are not heard */
  end(padding: number): void {
    const last = this.waiting.pop();
    for (const packet of this.waiting) this.emit(packet);
    if (last && padding > 0)
      this.emit({ ...last, duration: Math.max(1, last.duration - padding), skip: trimmed(padding) });
    else if (last) this.emit(last);
  }
}

/**
 * Writes a file of packets. Where the copy begins, the packets that its decoder needs before are in it and are not
 * heard, as the container says; where stretches meet, the decoder fades from one to the other within a packet.
 * @param parts with the same codec and codec headers
 * @returns warnings of what the container cannot hold
 */
export async function keepPackets(
  path: string,
  parts: readonly KeptPackets[],
  { signal, onProgress, tags, sources }: KeepPacketsOptions,
): Promise<readonly Warning[]> {
  const { index: first, ranges: firstRanges } = parts[0] as KeptPackets;
  const begin = firstRanges[0] as PacketRange;
  const isMp3 = first.codec === 'mp3';
  const preroll = prerolled(first, begin);
  const skipped = begin.startFrame - (first.starts[preroll] as number);
  const header = first.codec === 'opus' ? Buffer.from(first.header) : null;
  header?.writeUInt16LE(skipped, opusSkipAt);
  // FFmpeg adds to each time what an Opus file states as not heard.
  const lateFrames = header ? skipped - first.header.readUInt16LE(opusSkipAt) : 0;
  const writer = new PacketWriter(path, first, header, lateFrames);
  try {
    const complete = writer.begin(tags, sources);
    const seams = isMp3 ? new Mp3Seams() : null;
    const line = new Line(skipped, isMp3 ? reach : 1, (packet) => writer.write(packet));
    const total = parts.reduce((sum, { ranges }) => sum + ranges.reduce((all, { from, to }) => all + to - from, 0), 0);
    let done = 0;
    let padding = 0;
    for (const [number, { index, ranges }] of parts.entries()) {
      const wanted = ranges.map((range, at) => (number + at === 0 ? { ...range, from: preroll } : range));
      await eachPacket(index, wanted, signal, (packet, before, isFirst) => {
        if (isFirst) seams?.meet(line, packet, before);
        line.push(packet);
        done += 1;
        onProgress(Math.min(1, done / total));
      });
      const last = ranges.at(-1) as PacketRange;
      padding = (index.starts[last.to] as number) - last.endFrame;
    }
    padding = Math.max(0, Math.round(padding));
    line.end(padding);
    writer.end();
    if (isMp3) stateDelay(path, line.skipped - mp3DecoderFrames, padding + mp3DecoderFrames);
    return [...silencedAt(seams?.silenced ?? [], first.sampleRate), ...complete(path)];
  } finally {
    writer.close();
  }
}

function silencedAt(seams: readonly number[], sampleRate: number): Warning[] {
  if (seams.length === 0) return [];
  const named = seams.slice(0, 5).map((at) => `${(at / sampleRate).toFixed(2)} s`);
  const more = seams.length > named.length ? ` and ${seams.length - named.length} more` : '';
  return [
    {
      code: 'sound_missing',
      message:
        `Frames of the highest bit rate have no room for the sound of those behind them: one is silent before the ` +
        `seam at ${named.join(', ')}${more} of the output`,
    },
  ];
}

/**
 * Reads the packets of ranges, each with its own length.
 * @param take given the packets in front of the first of a range too
 */
async function eachPacket(
  { facts: { path }, codec, starts }: PacketIndex,
  ranges: readonly Pick<PacketRange, 'from' | 'to'>[],
  signal: AbortSignal,
  take: (packet: CodedPacket, before: readonly CodedPacket[], isFirst: boolean) => void,
): Promise<void> {
  const input = openInput(path);
  const packet = new Packet();
  packet.alloc();
  const before: CodedPacket[] = [];
  try {
    const stream = chooseAudioStream(input.streams) as Stream;
    const { index } = stream;
    let [range, number] = [0, 0];
    while (range < ranges.length && input.read(packet) >= 0) {
      const isOurs = packet.streamIndex === index && packet.size > 0;
      const { from, to } = ranges[range] as PacketRange;
      const isNear = number >= from - reach;
      if (isOurs && isNear) {
        const duration = (starts[number + 1] as number) - (starts[number] as number);
        const coded = { ...codedPacket(packet), duration };
        if (number >= from && number < to) take(coded, before, number === from);
        if (codec === 'mp3') before.push(coded);
        if (before.length > reach) before.shift();
      }
      packet.unref();
      if (isOurs && number === to - 1) range += 1;
      if (isOurs) number += 1;
      if (number % packetsPerTurn === 0) {
        await turn();
        throwIfAborted(signal);
      }
    }
  } finally {
    packet.free();
    input.close();
  }
}

/** Where frames of MP3 meet. */
class Mp3Seams {
  private begun = false;
  /** Seams before which a frame fell silent: the highest bit rate has no more room. Frames of the copy. */
  readonly silenced: number[] = [];

  meet(line: Line, packet: CodedPacket, before: readonly CodedPacket[]): void {
    const wanted = reachOf(packet);
    const reservoir = bytesBefore([...before, packet], before.length, wanted);
    if (!this.begun) {
      this.begun = true;
      const needsBytes = wanted > 0 && reservoir !== null;
      if (line.skipped < mp3DecoderFrames || needsBytes)
        line.lead(silentFrame(packet, needsBytes ? reservoir : new Uint8Array(0)));
      return;
    }
    if (wanted > 0 && reservoir) {
      const laid = layReservoir(line.last, reservoir);
      const last = line.last.at(-1) as CodedPacket;
      if (!laid) this.silenced.push(last.pts + last.duration);
      line.replaceLast(laid ?? [silentFrame(last, reservoir)]);
    }
  }
}
