// Writes packets of FLAC and ALAC as they are, and between them sound that is encoded as they are.
import { setImmediate as turn } from 'node:timers/promises';
import type { Packet } from 'node-av/lib';
import {
  AV_SAMPLE_FMT_S16,
  AV_SAMPLE_FMT_S16P,
  AV_SAMPLE_FMT_S32,
  AV_SAMPLE_FMT_S32P,
  FF_ENCODER_ALAC,
  FF_ENCODER_FLAC,
} from 'node-av/constants';
import { throwIfAborted } from '../../core/abort.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import { soundFormat } from '../read/probe.ts';
import { type CodecSettings, openPacketEncoder } from '../write/codec/packet-encoder.ts';
import { type CodedPacket, codedPacket } from '../write/segments/coded-packet.ts';
import { describedFlac, flacForm, type FlacStream, readFlacHead, renumbered } from './flac-frame.ts';
import { LosslessPackets } from './lossless-packets.ts';
import { type PacketIndex, refuseEncoding } from './packet-index.ts';
import type { PacketWriter } from './packet-writer.ts';

/** In the cookie of ALAC behind its box's head: frames of a packet, form, sizes, rate. */
const cookie = { framesAt: 12, formAt: 16, sizesAt: 24, rateAt: 32, bytes: 36 } as const;
/** Of compression: what FFmpeg's encoder writes, and Apple's. */
const alacForm = { framesPerPacket: 4096, historyMult: 40, initialHistory: 10, parameterLimit: 14 } as const;

/** What decoders are set up by, of files that follow each other. */
export function losslessForm({ codec, header }: PacketIndex): Buffer {
  if (codec === 'flac') return flacForm(header);
  return Buffer.concat([header.subarray(cookie.framesAt, cookie.sizesAt), header.subarray(cookie.rateAt)]);
}

/** @throws EarshotError wrong_file_type where sound at an edge cannot be encoded as the packets are */
export function requireLossless({ codec, header, facts }: PacketIndex): void {
  const bits = facts.audio?.bitsPerSample ?? 0;
  if (bits !== 16 && bits !== 24)
    refuseEncoding(`Expected samples of 16 or 24 bits to keep the encoding of ${codec} but received ${bits}`);
  if (codec !== 'alac') return;
  const { framesPerPacket, historyMult, initialHistory, parameterLimit } = alacForm;
  const isUsual =
    header.length >= cookie.bytes &&
    header.readUInt32BE(cookie.framesAt) === framesPerPacket &&
    header[cookie.formAt + 2] === historyMult &&
    header[cookie.formAt + 3] === initialHistory &&
    header[cookie.formAt + 4] === parameterLimit;
  if (!isUsual) refuseEncoding('Expected ALAC with the usual settings to keep its encoding but received others');
}

/** The header of a copy. */
export function losslessHeader({ codec, header }: PacketIndex, stream: FlacStream): Buffer {
  if (codec === 'flac') return describedFlac(header, stream);
  const made = Buffer.from(header);
  // The largest packet and the mean bit rate are not known: 0.
  made.fill(0, cookie.sizesAt, cookie.rateAt);
  return made;
}

function settingsOf({ codec, facts }: PacketIndex): CodecSettings {
  const isDeep = facts.audio?.bitsPerSample === 24;
  const { sampleRate, channels, layout } = soundFormat(facts);
  const common = { sampleRate, channels, layout, kbps: null, dither: false, globalHeader: codec === 'alac' };
  if (codec === 'flac')
    return { ...common, encoder: FF_ENCODER_FLAC, sampleFormat: isDeep ? AV_SAMPLE_FMT_S32 : AV_SAMPLE_FMT_S16 };
  return { ...common, encoder: FF_ENCODER_ALAC, sampleFormat: isDeep ? AV_SAMPLE_FMT_S32P : AV_SAMPLE_FMT_S16P };
}

const packetsPerTurn = 256;

/** Puts packets into a file one behind the other. The caller closes it, and the writer. */
export class LosslessLine {
  private readonly sources: readonly LosslessPackets[];
  private readonly writer: PacketWriter;
  private readonly settings: CodecSettings;
  private readonly isFixed: boolean;
  private at = 0;
  private written = 0;

  /** @param isFixed have all blocks but the last one the same length? */
  constructor(indexes: readonly [PacketIndex, ...PacketIndex[]], writer: PacketWriter, isFixed: boolean) {
    this.sources = indexes.map((index) => new LosslessPackets(index));
    this.settings = settingsOf(indexes[0]);
    this.writer = writer;
    this.isFixed = isFixed;
  }

  private put(data: Uint8Array, duration: number): void {
    let placed = data;
    if (this.settings.encoder === FF_ENCODER_FLAC) {
      const head = readFlacHead(data);
      if (head?.frames !== duration)
        throw new EarshotError('file_invalid', 'A frame of the FLAC file is damaged', {
          nextAction: 'Leave out keep_encoding: damaged sound becomes silence then.',
        });
      placed = renumbered(data, head, this.isFixed ? this.written : this.at, this.isFixed);
    }
    this.writer.write({ data: placed, pts: this.at, duration, skip: null });
    this.at += duration;
    this.written += 1;
  }

  /** @param count told how many frames were written */
  async packets(
    source: number,
    from: number,
    to: number,
    { signal, count }: { readonly signal: AbortSignal; count(frames: number): void },
  ): Promise<void> {
    const packets = this.sources[source] as LosslessPackets;
    const { starts } = packets.index;
    for (let number = from; number < to; number += 1) {
      const frames = (starts[number + 1] as number) - (starts[number] as number);
      this.put(packets.bytes(number), frames);
      count(frames);
      if (number % packetsPerTurn > 0) continue;
      await turn();
      throwIfAborted(signal);
    }
  }

  /** Samples of a recording; silence where there is none. */
  planes(source: number, from: number, frames: number): Float32Array[] {
    return (this.sources[source] as LosslessPackets).planes(from, frames);
  }

  /** Encodes sound that `give` writes, in blocks of so many frames. */
  encode(blockFrames: number, give: (write: (planes: readonly Float32Array[], frames: number) => void) => void): void {
    const made: CodedPacket[] = [];
    // FLAC's encoder ends with an empty one.
    const take = (packet: Packet): void => {
      if (packet.size > 0) made.push(codedPacket(packet));
    };
    const encoder = openPacketEncoder({ ...this.settings, blockFrames }, 0, take);
    try {
      give((planes, frames) => encoder.write(planes, frames));
      encoder.finish();
    } finally {
      encoder.close();
    }
    for (const { data, duration } of made) this.put(data, duration);
  }

  close(): void {
    for (const source of this.sources) source.close();
  }
}

/** Frames in a block of what is encoded again. */
export function usualBlock({ codec, starts, count }: PacketIndex): number {
  if (codec === 'alac') return alacForm.framesPerPacket;
  let most = 0;
  for (let at = 0; at < count; at += 1) most = Math.max(most, (starts[at + 1] as number) - (starts[at] as number));
  return Math.max(4 * 16, most);
}
