// The clock of an AVI's sounds. FFmpeg places their packets by what the header of a stream says, and shows neither when
// they start nor that time passes without sound.
import type { Packet, Stream } from 'node-av/lib';
import { AVMEDIA_TYPE_AUDIO } from 'node-av/constants';

/** Microsoft's AVISTREAMHEADER, behind a name and a length. */
const headerBytes = 56;
const startAt = 36;
const sampleSizeAt = 52;
/** And WAVEFORMATEX, behind its own. */
const formatBytes = 24;
const blockAlignAt = 20;
const aac = 0xff;
/** FFmpeg takes a later start for a damaged one. */
const longestSeconds = 3600;

interface AviStream {
  /** In its ticks. */
  readonly start: number;
  /** Is each piece of it a tick, empty ones, too? Where it has a size of blocks, players count only what is there. */
  readonly countsPieces: boolean;
}

/** @param head of the file */
function streamsIn(head: Buffer): AviStream[] {
  const streams: AviStream[] = [];
  const movie = head.indexOf('movi');
  const end = movie === -1 ? head.length : movie;
  for (
    let at = head.indexOf('strh');
    at !== -1 && at + headerBytes <= end;
    at = head.indexOf('strh', at + headerBytes)
  ) {
    const format = at + 8 + head.readUInt32LE(at + 4);
    const isWhole = head.toString('latin1', format, format + 4) === 'strf' && format + formatBytes <= end;
    // What programs write there for AAC means nothing; FFmpeg and MPlayer agree.
    const smallest = isWhole && head.readUInt16LE(format + 8) === aac ? 4 : 0;
    streams.push({
      start: head.readUInt32LE(at + startAt),
      countsPieces:
        isWhole && head.readUInt32LE(at + sampleSizeAt) === 0 && head.readUInt16LE(format + blockAlignAt) <= smallest,
    });
  }
  return streams;
}

/** States the starts of an open AVI's sounds. */
export function stateAviStarts(head: Buffer, streams: readonly Stream[]): void {
  const found = streamsIn(head);
  for (const [index, stream] of streams.entries()) {
    const ticks = found[index]?.start ?? 0;
    const seconds = (ticks * stream.timeBase.num) / stream.timeBase.den;
    if (stream.codecpar.codecType === AVMEDIA_TYPE_AUDIO && ticks > 0 && seconds <= longestSeconds)
      stream.startTime = BigInt(ticks);
  }
}

/** Answers for one packet after the other whether empty pieces are before it. */
export function emptyPiecesOf(head: Buffer): (packet: Packet) => boolean {
  const streams = streamsIn(head);
  /** Where the packet before it ended, by stream. */
  const ends = new Map<number, bigint>();
  return ({ streamIndex, pts, duration }) => {
    if (streams[streamIndex]?.countsPieces !== true) return false;
    const end = ends.get(streamIndex);
    ends.set(streamIndex, pts + duration);
    return end !== undefined && pts > end + 1n;
  };
}
