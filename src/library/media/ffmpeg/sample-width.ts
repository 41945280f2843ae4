// The width of uncompressed samples. FFmpeg goes by the bits in use; but where they are fewer than their container has
// room for (24 in 32, 16 in 24), only the container's width says where the next sample begins.
import type { Stream } from 'node-av/lib';
import {
  AV_CODEC_ID_NONE,
  AV_CODEC_ID_PCM_F16LE,
  AV_CODEC_ID_PCM_F24LE,
  AV_CODEC_ID_PCM_F32BE,
  AV_CODEC_ID_PCM_F32LE,
  AV_CODEC_ID_PCM_F64BE,
  AV_CODEC_ID_PCM_F64LE,
  AV_CODEC_ID_PCM_S16BE,
  AV_CODEC_ID_PCM_S16LE,
  AV_CODEC_ID_PCM_S24BE,
  AV_CODEC_ID_PCM_S24LE,
  AV_CODEC_ID_PCM_S32BE,
  AV_CODEC_ID_PCM_S32LE,
  AV_CODEC_ID_PCM_S64BE,
  AV_CODEC_ID_PCM_S64LE,
  AV_CODEC_ID_PCM_S8,
  AV_CODEC_ID_PCM_U8,
  type AVCodecID,
} from 'node-av/constants';
import { type Bytes, isStatedSize, readWaveForm, type WaveForm, waveTags } from './wave-form.ts';

/** By bytes of a sample. */
type Widths = Readonly<Record<number, AVCodecID>>;
const little: Widths = {
  1: AV_CODEC_ID_PCM_U8,
  2: AV_CODEC_ID_PCM_S16LE,
  3: AV_CODEC_ID_PCM_S24LE,
  4: AV_CODEC_ID_PCM_S32LE,
  8: AV_CODEC_ID_PCM_S64LE,
};
const big: Widths = {
  1: AV_CODEC_ID_PCM_S8,
  2: AV_CODEC_ID_PCM_S16BE,
  3: AV_CODEC_ID_PCM_S24BE,
  4: AV_CODEC_ID_PCM_S32BE,
  8: AV_CODEC_ID_PCM_S64BE,
};
const signedLittle: Widths = { ...little, 1: AV_CODEC_ID_PCM_S8 };
const littleFloats: Widths = { 4: AV_CODEC_ID_PCM_F32LE, 8: AV_CODEC_ID_PCM_F64LE };
const bigFloats: Widths = { 4: AV_CODEC_ID_PCM_F32BE, 8: AV_CODEC_ID_PCM_F64BE };
/** Cool Edit's floats in the scale of integers, by the bits that it states. */
const coolEditFloats: Readonly<Record<number, AVCodecID>> = { 16: AV_CODEC_ID_PCM_F16LE, 24: AV_CODEC_ID_PCM_F24LE };

/** FFmpeg's demuxer may have found another codec in the samples already: S/PDIF. */
const unpacked = new Set<AVCodecID>([
  AV_CODEC_ID_NONE,
  ...[little, big, littleFloats, bigFloats, coolEditFloats].flatMap((widths) => Object.values(widths)),
]);

interface SampleWidth {
  readonly codec: AVCodecID;
  /** Bits in use. */
  readonly bits: number;
  /** Frames of the stated sound; null: not stated. */
  readonly frames: number | null;
}

const looked = 65_536;

/** Are the words floats in the scale of integers? The high byte of such a float, up to 2^23, is one of few. */
function areScaledFloats(words: Buffer): boolean {
  let [floats, used] = [0, 0];
  for (let at = 0; at + 4 <= words.length; at += 4) {
    if (words.readUInt32LE(at) === 0) continue;
    used += 1;
    const exponent = (words[at + 3] as number) & 0x7f;
    if (exponent >= 0x3a && exponent <= 0x4b) floats += 1;
  }
  return used > 0 && floats > 0.95 * used;
}

function codecOf(form: WaveForm, bytes: Bytes): AVCodecID | null {
  const width = form.blockAlign / form.channels;
  if (form.tag === waveTags.float) return littleFloats[width] ?? null;
  if (form.tag !== waveTags.pcm) return null;
  const coolEdit = form.isExtensible || width !== 4 ? undefined : coolEditFloats[form.bits];
  if (coolEdit && areScaledFloats(bytes(form.dataAt, looked))) return coolEdit;
  return little[width] ?? null;
}

function waveWidth(bytes: Bytes, sizeBytes: number | null): SampleWidth | null {
  const form = readWaveForm(bytes);
  if (form === null || form.channels === 0) return null;
  const codec = codecOf(form, bytes);
  if (codec === null) return null;
  const width = (form.blockAlign / form.channels) * 8;
  const stated = form.validBits > 0 ? form.validBits : form.bits;
  const there = sizeBytes === null ? Number.POSITIVE_INFINITY : Math.max(0, sizeBytes - form.dataAt);
  const dataBytes = isStatedSize(form.dataBytes) ? Math.min(form.dataBytes, there) : there;
  return {
    codec,
    bits: stated > 0 && stated <= width ? stated : width,
    frames: Number.isFinite(dataBytes) ? Math.floor(dataBytes / form.blockAlign) : null,
  };
}

/** Apple's Core Audio Format: the description is always the first chunk. */
function cafWidth(bytes: Bytes): SampleWidth | null {
  const head = bytes(0, 52);
  if (head.length < 52 || head.toString('latin1', 0, 4) !== 'caff' || head.toString('latin1', 8, 12) !== 'desc')
    return null;
  if (head.toString('latin1', 28, 32) !== 'lpcm') return null;
  const flags = head.readUInt32BE(32);
  const [packetBytes, framesPerPacket, channels, bits] = [36, 40, 44, 48].map((at) => head.readUInt32BE(at));
  if (!packetBytes || framesPerPacket !== 1 || !channels) return null;
  const [isFloat, isLittle] = [(flags & 1) !== 0, (flags & 2) !== 0];
  const integers = isLittle ? signedLittle : big;
  const widths = isFloat ? (isLittle ? littleFloats : bigFloats) : integers;
  const width = packetBytes / channels;
  const codec = widths[width];
  if (codec === undefined) return null;
  return { codec, bits: bits && bits <= width * 8 ? bits : width * 8, frames: null };
}

/**
 * Corrects what FFmpeg has made of an opened file's samples, before it looks into them.
 * @param sizeBytes of the file; null: of a stream that may never end
 * @returns for after that: states the bits in use
 */
export function applySampleWidth(
  demuxer: string,
  streams: readonly Stream[],
  bytes: Bytes,
  sizeBytes: number | null,
): () => void {
  const [stream] = streams;
  const isWave = demuxer === 'wav' || demuxer === 'w64';
  const width = isWave ? waveWidth(bytes, sizeBytes) : demuxer === 'caf' ? cafWidth(bytes) : null;
  if (!stream || width === null || !unpacked.has(stream.codecpar.codecId)) return () => undefined;
  const { codecpar } = stream;
  codecpar.codecId = width.codec;
  codecpar.bitsPerCodedSample = width.bits;
  if (width.frames !== null) stream.duration = BigInt(width.frames);
  return () => {
    // The samples may have turned out to be another codec's, as of DTS on a CD.
    if (codecpar.codecId === width.codec) codecpar.bitsPerRawSample = width.bits;
  };
}
