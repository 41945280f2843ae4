// Indexes a file's picture packets without decoding: times, keyframes, parameter sets.
import { setImmediate as turn } from 'node:timers/promises';
import { avGetCodecName, Packet, type Stream } from 'node-av/lib';
import { AV_PKT_FLAG_DISCARD, AVDISCARD_ALL } from 'node-av/constants';
import { throwIfAborted } from '../../core/abort.ts';
import { type OpenedInput } from '../ffmpeg/ffmpeg.ts';
import { noTimestamp } from '../ffmpeg/ticks.ts';
import { splicerFor } from './splicers.ts';
import type { Splicer } from './splicer.ts';

/** Per packet, in file order, in the stream's ticks. 25 bytes a picture: an hour at 30 a second takes 2.7 MB. */
export interface PictureIndex {
  readonly count: number;
  /** NaN if unknown. */
  readonly pts: Float64Array;
  readonly dts: Float64Array;
  /** Ticks; 0 where unknown. */
  readonly duration: Float64Array;
  readonly flags: Uint8Array;
  /** Every packet has a display time. */
  readonly timed: boolean;
  readonly allKeys: boolean;
  /** Joins encoded and copied packets; null for codecs whose packets can be joined unchanged. */
  readonly splicer: Splicer | null;
}

export const pictureFlag = { key: 1, refresh: 2, hidden: 4 } as const;

const perTurn = 2000;

/** Discards all streams but one. */
export function onlyStream(input: OpenedInput, index: number): void {
  for (const stream of input.streams) if (stream.index !== index) stream.discard = AVDISCARD_ALL;
}

/**
 * Display times that a programme stream leaves out, since it has one for each pack. In MPEG-1 and MPEG-2 pictures that
 * nothing refers to are shown when they are decoded, the others when the next such one is (ISO/IEC 13818-2, 6.1.1.11).
 * @returns whether all are known now; nothing is filled in where the times that are there contradict the rule
 */
function fillTimes(pts: Float64Array, dts: Float64Array, duration: Float64Array): boolean {
  const last = pts.length - 1;
  if (last < 0 || dts.some(Number.isNaN)) return false;
  const filled = pts.slice();
  let next = (dts[last] as number) + (duration[last] as number);
  for (let at = last; at >= 0; at -= 1) {
    const [shown, decoded] = [pts[at] as number, dts[at] as number];
    if (shown === decoded) continue;
    if (Number.isNaN(shown)) filled[at] = next;
    else if (at < last && Math.abs(shown - next) > 1) return false;
    next = decoded;
  }
  pts.set(filled);
  return true;
}

/**
 * Reads all packets of a stream; the input is at its end afterwards. `refresh` marks packets where a decoder can start:
 * instantaneous refreshes of H.264, random access of HEVC, shown keyframes of AV1, keyframes of other codecs.
 */
export async function indexPictures(input: OpenedInput, stream: Stream, signal?: AbortSignal): Promise<PictureIndex> {
  onlyStream(input, stream.index);
  const splicer = splicerFor(codecName(stream), stream.codecpar.extradata);

  let room = Math.max(1024, Number(stream.nbFrames));
  let pts = new Float64Array(room);
  let dts = new Float64Array(room);
  let duration = new Float64Array(room);
  let flags = new Uint8Array(room);
  let count = 0;
  let timed = true;
  let allKeys = true;
  const packet = new Packet();
  packet.alloc();
  try {
    for (let read = 1; input.read(packet) >= 0; read += 1) {
      if (packet.streamIndex === stream.index && packet.size > 0) {
        if (count === room) {
          room *= 2;
          const grown = (old: Float64Array): Float64Array<ArrayBuffer> => {
            const larger = new Float64Array(room);
            larger.set(old);
            return larger;
          };
          pts = grown(pts);
          dts = grown(dts);
          duration = grown(duration);
          const larger = new Uint8Array(room);
          larger.set(flags);
          flags = larger;
        }
        const shown = packet.pts;
        pts[count] = shown === noTimestamp ? Number.NaN : Number(shown);
        dts[count] = packet.dts === noTimestamp ? Number.NaN : Number(packet.dts);
        duration[count] = Number(packet.duration);
        if (shown === noTimestamp) timed = false;
        let flag = packet.hasFlags(AV_PKT_FLAG_DISCARD) ? pictureFlag.hidden : 0;
        if (packet.isKeyframe) {
          flag |= pictureFlag.key;
          if (splicer === null || splicer.look(packet.data ?? Buffer.alloc(0))) flag |= pictureFlag.refresh;
        } else {
          allKeys = false;
        }
        flags[count] = flag;
        count += 1;
      }
      packet.unref();
      if (read % perTurn === 0) {
        await turn();
        throwIfAborted(signal);
      }
    }
  } finally {
    packet.free();
  }
  pts = pts.subarray(0, count);
  dts = dts.subarray(0, count);
  duration = duration.subarray(0, count);
  if (!timed && ['mpeg1video', 'mpeg2video'].includes(codecName(stream))) timed = fillTimes(pts, dts, duration);
  return {
    count,
    pts,
    dts,
    duration,
    flags: flags.subarray(0, count),
    timed: timed && count > 0,
    allKeys,
    splicer,
  };
}

export const codecName = (stream: Stream): string => avGetCodecName(stream.codecpar.codecId) ?? '';
