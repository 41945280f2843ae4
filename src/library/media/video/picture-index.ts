// Indexes a file's picture packets without decoding: times, keyframes, parameter sets.
import { setImmediate as turn } from 'node:timers/promises';
import { avGetCodecName, Packet, type Stream } from 'node-av/lib';
import { AV_CODEC_ID_H264, AV_PKT_FLAG_DISCARD, AVDISCARD_ALL } from 'node-av/constants';
import { throwIfAborted } from '../../core/abort.ts';
import { noTimestamp, type OpenedInput } from '../ffmpeg/ffmpeg.ts';
import { nalType, readConfig, splitAnnexB, splitLengthPrefixed, typeOf, type H264Config } from './h264.ts';

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
  /** For H.264: the parameter sets if they never change; null otherwise. */
  readonly config: H264Config | null;
}

export const pictureFlag = { key: 1, refresh: 2, hidden: 4 } as const;

const perTurn = 2000;

/** Discards all streams but one. */
export function onlyStream(input: OpenedInput, index: number): void {
  for (const stream of input.streams) if (stream.index !== index) stream.discard = AVDISCARD_ALL;
}

/**
 * Reads all packets of a stream; the input is at its end afterwards. `refresh` marks packets where a decoder can start:
 * instantaneous refreshes of H.264, keyframes of other codecs.
 */
export async function indexPictures(input: OpenedInput, stream: Stream, signal?: AbortSignal): Promise<PictureIndex> {
  onlyStream(input, stream.index);
  const isH264 = stream.codecpar.codecId === AV_CODEC_ID_H264;
  const { extradata } = stream.codecpar;
  const config = isH264 && extradata ? readConfig(extradata) : null;
  let oneSet = config !== null;
  const known = new Set(config ? [...config.sps, ...config.pps].map((unit) => unit.toString('latin1')) : []);

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
    for (let read = 1; input.context.readFrameSync(packet) >= 0; read += 1) {
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
          if (!isH264) {
            flag |= pictureFlag.refresh;
          } else if (config) {
            const data = packet.data ?? Buffer.alloc(0);
            const units = config.lengthPrefixed ? splitLengthPrefixed(data) : splitAnnexB(data);
            if (units.some((unit) => typeOf(unit) === nalType.idr)) flag |= pictureFlag.refresh;
            for (const unit of units) {
              if ((typeOf(unit) === nalType.sps || typeOf(unit) === nalType.pps) && !known.has(unit.toString('latin1')))
                oneSet = false;
            }
          }
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
  return {
    count,
    pts: pts.subarray(0, count),
    dts: dts.subarray(0, count),
    duration: duration.subarray(0, count),
    flags: flags.subarray(0, count),
    timed: timed && count > 0,
    allKeys,
    config: oneSet ? config : null,
  };
}

export const codecName = (stream: Stream): string => avGetCodecName(stream.codecpar.codecId) ?? '';
