// Streams that are copied packet by packet.
import { Dictionary, type FormatContext, type Packet, Rational, type Stream } from 'node-av/lib';
import { AVMEDIA_TYPE_DATA } from 'node-av/constants';
import { expectOk, expectWritten } from '../ffmpeg/ffmpeg.ts';
import { noTimestamp } from '../ffmpeg/ticks.ts';

/** Muxers that write a camera's measurements. A timecode is not copied: it is written anew. */
const dataMuxers: readonly string[] = ['mp4', 'mov'];
export const isKeptData = ({ codecpar }: Stream, muxer: string): boolean =>
  codecpar.codecType === AVMEDIA_TYPE_DATA && dataMuxers.includes(muxer) && codecpar.codecTagString?.trim() === 'gpmd';

/** An output stream that copies a source stream: parameters, side data (rotation), flags and tags. */
export function addCopiedStream(from: Stream, output: FormatContext, sameContainer: boolean): Stream {
  const to = output.newStream();
  expectOk(from.codecpar.copy(to.codecpar), 'Copying a stream');
  // A tag of one container means something else in another; without one, the muxer chooses.
  if (!sameContainer) to.codecpar.codecTag = 0;
  to.timeBase = new Rational(from.timeBase.num, from.timeBase.den);
  to.disposition = from.disposition;
  // The container's word on the shape of pixels counts before the codec's. Muxers refuse two that differ.
  const pixels = from.sampleAspectRatio.num > 0 ? from.sampleAspectRatio : from.codecpar.sampleAspectRatio;
  to.sampleAspectRatio = pixels;
  to.codecpar.sampleAspectRatio = pixels;
  to.avgFrameRate = from.avgFrameRate;
  const metadata = from.metadata?.getAll();
  if (metadata) to.metadata = Dictionary.fromObject(metadata);
  return to;
}

/** A stream that is copied from one file to another. */
export interface CopiedStream {
  readonly from: Stream;
  readonly to: Stream;
  /** Of the last written packet, in the output's units. */
  lastDts: bigint;
}

/** Writes a packet unchanged, except that its times are converted from the source stream's units to the output's. */
export function writeCopied(packet: Packet, stream: CopiedStream, output: FormatContext, doing: string): void {
  packet.rescaleTs(stream.from.timeBase, stream.to.timeBase);
  // Muxers refuse equal or falling times, which damaged recordings have.
  if (packet.dts !== noTimestamp && stream.lastDts !== noTimestamp && packet.dts <= stream.lastDts) {
    packet.dts = stream.lastDts + 1n;
    if (packet.pts !== noTimestamp && packet.pts < packet.dts) packet.pts = packet.dts;
  }
  if (packet.dts !== noTimestamp) stream.lastDts = packet.dts;
  packet.streamIndex = stream.to.index;
  packet.pos = -1n;
  expectWritten(output.interleavedWriteFrameSync(packet), doing);
}
