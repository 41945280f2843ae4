// The splicer of each codec.
import { Av1Splicer } from './av1.ts';
import { H264Splicer } from './h264.ts';
import { HevcSplicer } from './hevc.ts';
import { Mpeg2Splicer } from './mpeg2.ts';
import type { Splicer } from './splicer.ts';

type Make = (extradata: Buffer | null) => Splicer;

const splicers: Readonly<Record<string, Make>> = {
  h264: (extradata) => new H264Splicer(extradata),
  hevc: (extradata) => new HevcSplicer(extradata),
  av1: (extradata) => new Av1Splicer(extradata),
  mpeg1video: (extradata) => new Mpeg2Splicer(extradata),
  mpeg2video: (extradata) => new Mpeg2Splicer(extradata),
};

/** @param codec FFmpeg's name. null for codecs whose packets can be joined at any keyframe */
export const splicerFor = (codec: string, extradata: Buffer | null): Splicer | null =>
  splicers[codec]?.(extradata) ?? null;
