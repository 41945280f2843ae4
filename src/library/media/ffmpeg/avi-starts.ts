// When the sounds of an AVI start. FFmpeg places their packets by it, and says that they start at 0.
import type { Stream } from 'node-av/lib';
import { AVMEDIA_TYPE_AUDIO } from 'node-av/constants';

/** Microsoft's AVISTREAMHEADER, behind a name and a length. */
const headerBytes = 56;
const startAt = 36;
/** FFmpeg takes a later start for a damaged one. */
const longestSeconds = 3600;

/** Starts by stream, in its ticks. */
function startsIn(head: Buffer): number[] {
  const starts: number[] = [];
  const movie = head.indexOf('movi');
  const end = movie === -1 ? head.length : movie;
  for (let at = head.indexOf('strh'); at !== -1 && at + headerBytes <= end; at = head.indexOf('strh', at + headerBytes))
    starts.push(head.readUInt32LE(at + startAt));
  return starts;
}

/** States the starts of an open AVI's sounds. */
export function stateAviStarts(head: Buffer, streams: readonly Stream[]): void {
  const starts = startsIn(head);
  for (const [index, stream] of streams.entries()) {
    const ticks = starts[index] ?? 0;
    const seconds = (ticks * stream.timeBase.num) / stream.timeBase.den;
    if (stream.codecpar.codecType === AVMEDIA_TYPE_AUDIO && ticks > 0 && seconds <= longestSeconds)
      stream.startTime = BigInt(ticks);
  }
}
