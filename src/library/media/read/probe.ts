import { extname } from 'node:path';
import {
  avChannelLayoutDefault,
  avChannelLayoutDescribe,
  avGetCodecName,
  avGetPixFmtName,
  type Stream,
} from 'node-av/lib';
import {
  AV_PKT_DATA_DISPLAYMATRIX,
  AVMEDIA_TYPE_ATTACHMENT,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_DATA,
  AVMEDIA_TYPE_SUBTITLE,
  AVMEDIA_TYPE_VIDEO,
  type AVPixelFormat,
} from 'node-av/constants';
import { EarshotError } from '../../core/errors/errors.ts';
import type { AudioFormat } from '../../pcm/block.ts';
import { readDescribed } from '../chapters/vorbis-comments.ts';
import { readChapters } from '../chapters/chapters.ts';
import { withEnds } from '../chapters/times.ts';
import { mpegAudioCodec } from '../mp4/mpeg-layer.ts';
import { chaptersOfMarks, markIds, readMarks } from '../wave/markers.ts';
import { readWave } from '../wave/read-chunks.ts';
import type { AudioStreamFacts, Chapter, CoverFacts, MediaFacts, StreamFacts, VideoStreamFacts } from '../facts.ts';
import {
  chooseAudioStream,
  isCoverStream,
  isInterlaced,
  isVideoStream,
  openInput,
  type OpenedInput,
} from '../ffmpeg/ffmpeg.ts';
import { isDecodable } from '../ffmpeg/decoders.ts';
import { soundStreams } from '../ffmpeg/sound-choice.ts';
import { noTimestamp, ticksToSeconds } from '../ffmpeg/ticks.ts';

/** FFmpeg's names where they differ from the usual extension. */
const containerNames: Readonly<Record<string, string>> = {
  asf: 'wma',
  matroska: 'mkv',
  mpegts: 'ts',
  adts: 'aac',
  w64: 'wav',
  nistsphere: 'sph',
  amrnb: 'amr',
  amrwb: 'amr',
};

function containerOf(input: OpenedInput, path: string): string {
  const demuxer = input.context.iformat?.name ?? 'unknown';
  const names = demuxer.split(',');
  const extension = extname(path).slice(1).toLowerCase();
  const hasVideo = input.streams.some(isVideoStream);
  if (names.includes('mov')) {
    const brand = input.context.metadata?.get('major_brand') ?? '';
    if (brand.startsWith('qt')) return 'mov';
    if (brand.startsWith('M4A') || brand.startsWith('M4B') || (!hasVideo && extension !== 'mp4'))
      return brand.startsWith('3g') ? '3gp' : 'm4a';
    return brand.startsWith('3g') ? '3gp' : 'mp4';
  }
  // The EBML header, about forty bytes long, holds the document type in plain text.
  if (names.includes('matroska')) return input.head.subarray(0, 64).includes('webm') ? 'webm' : 'mkv';
  // DSDIFF and the older 8SVX are kinds of IFF.
  if (names.includes('iff')) return input.head.subarray(0, 4).toString('latin1') === 'FRM8' ? 'dff' : '8svx';
  if (names.includes('asf')) return hasVideo ? 'wmv' : 'wma';
  if (
    names.includes('ogg') &&
    input.streams.some((stream) => avGetCodecName(stream.codecpar.codecId) === 'opus') &&
    !hasVideo
  )
    return 'opus';
  const first = names[0] ?? 'unknown';
  return containerNames[first] ?? first;
}

function rotationOf(stream: Stream): number {
  const matrix = stream.codecpar.getCodedSideData(AV_PKT_DATA_DISPLAYMATRIX);
  if (!matrix || matrix.length < 36) return 0;
  // 3x3 fixed point, row-major; the rotation is in the upper left 2x2 (as FFmpeg's av_display_rotation_get).
  const a = matrix.readInt32LE(0);
  const b = matrix.readInt32LE(4);
  const degrees = Math.round((Math.atan2(b, a) * 180) / Math.PI);
  return ((degrees % 360) + 360) % 360;
}

const microseconds = { num: 1, den: 1_000_000 };
const positive = (value: number): number | null => (Number.isFinite(value) && value > 0 ? value : null);

function typeOf(stream: Stream): StreamFacts['type'] {
  switch (stream.codecpar.codecType) {
    case AVMEDIA_TYPE_AUDIO:
      return 'audio';
    case AVMEDIA_TYPE_VIDEO:
      return isCoverStream(stream) ? 'cover' : 'video';
    case AVMEDIA_TYPE_SUBTITLE:
      return 'subtitle';
    case AVMEDIA_TYPE_DATA:
      return 'data';
    case AVMEDIA_TYPE_ATTACHMENT:
      return 'attachment';
    default:
      return 'unknown';
  }
}

/** FFmpeg's name of a codec, but for data, and for MPEG audio of layer I and II in MP4, which it calls "mp3". */
function codecOf(stream: Stream, { context }: OpenedInput, path: string): string {
  const { codecId, codecTagString } = stream.codecpar;
  const codec = avGetCodecName(codecId) ?? 'unknown';
  // "gpmd", as cameras call their measurements in MP4.
  if (typeOf(stream) === 'data') return codecTagString?.trim() || codec;
  const isMp4 = context.iformat?.name?.split(',').includes('mov') === true;
  return (isMp4 && codec === 'mp3' ? mpegAudioCodec(path, stream.id) : null) ?? codec;
}

function streamFacts(stream: Stream, input: OpenedInput, path: string): StreamFacts {
  const base = stream.timeBase;
  const sounds = soundStreams(input.streams);
  return {
    index: stream.index,
    type: typeOf(stream),
    codec: codecOf(stream, input, path),
    language: stream.metadata?.get('language') ?? null,
    decodable: isDecodable(stream),
    track: sounds.includes(stream) ? sounds.indexOf(stream) + 1 : null,
    startSeconds: ticksToSeconds(stream.startTime, base),
    durationSeconds: ticksToSeconds(stream.duration, base),
    bitRateBps: positive(Number(stream.codecpar.bitRate)),
  };
}

/** The declared layout of a stream, or the usual one for its number of channels (plain WAV). */
export function layoutOf(stream: Stream): { name: string; channels: number } {
  const { channels, channelLayout } = stream.codecpar;
  const layout = channelLayout.mask === 0n ? avChannelLayoutDefault(channels) : channelLayout;
  return { name: avChannelLayoutDescribe(layout) ?? `${channels} channels`, channels };
}

function audioFacts(stream: Stream, facts: StreamFacts): AudioStreamFacts {
  const { codecpar } = stream;
  const bits = /^(pcm|flac|alac|wavpack|ape|tta|tak|dsd)/.test(facts.codec)
    ? codecpar.bitsPerRawSample || codecpar.bitsPerCodedSample
    : 0;
  return {
    ...facts,
    sampleRate: codecpar.sampleRate,
    channels: codecpar.channels,
    layout: layoutOf(stream).name,
    bitsPerSample: bits > 0 ? bits : null,
  };
}

function videoFacts(stream: Stream, facts: StreamFacts, fileTimecode: string | undefined): VideoStreamFacts {
  const { codecpar, metadata } = stream;
  const rate = stream.avgFrameRate;
  return {
    ...facts,
    width: codecpar.width,
    height: codecpar.height,
    frameRate: rate.den > 0 ? positive(rate.num / rate.den) : null,
    rotationDegrees: rotationOf(stream),
    pixelFormat: avGetPixFmtName(codecpar.format as AVPixelFormat),
    interlaced: isInterlaced(stream),
    timecode: metadata?.get('timecode') ?? fileTimecode ?? null,
  };
}

function coverFacts(stream: Stream): CoverFacts {
  const { codecpar } = stream;
  return { codec: avGetCodecName(codecpar.codecId) ?? 'unknown', width: codecpar.width, height: codecpar.height };
}

/** Most tag entries that are reported, each with at most this many bytes. */
const mostTags = 256;
const mostTagBytes = 65_536;

function cappedTags(tags: Readonly<Record<string, string>>): Record<string, string> {
  const short = Object.entries(tags).filter(
    ([key, value]) => Buffer.byteLength(key) <= mostTagBytes && Buffer.byteLength(value) <= mostTagBytes,
  );
  return Object.fromEntries(short.slice(0, mostTags));
}

/** The file's length, seconds from its zero; null where it states none. */
function durationOf({ context, streams }: OpenedInput): number | null {
  // FFmpeg adds the latest start of a stream, though ASF states the length of the whole file for each.
  const whole = context.iformat?.name === 'asf' ? (streams[0]?.duration ?? noTimestamp) : noTimestamp;
  return ticksToSeconds(whole, streams[0]?.timeBase ?? microseconds) ?? ticksToSeconds(context.duration, microseconds);
}

/** The file's chapters; of a WAV without any, its marks that have names. */
export function chaptersOf(path: string, demuxer: string, durationSeconds: number | null): Chapter[] {
  const chapters = readChapters(path, demuxer, durationSeconds);
  const wave = chapters.length === 0 && ['wav', 'w64'].includes(demuxer) ? readWave(path, markIds) : null;
  if (wave === null) return chapters;
  return withEnds(chaptersOfMarks(readMarks(wave.chunks), wave.form.sampleRate), durationSeconds);
}

/** Facts of an open input. */
export function factsOf(input: OpenedInput, path: string): MediaFacts {
  const { context, streams } = input;
  const audio = chooseAudioStream(streams);
  const video = streams.find(isVideoStream) ?? null;
  const cover = streams.find(isCoverStream) ?? null;
  // Ogg keeps its tags in the stream, all others in the container.
  const tags = cappedTags({
    ...(context.iformat?.name === 'ogg' ? audio?.metadata?.getAll() : {}),
    ...context.metadata?.getAll(),
    ...(['ogg', 'flac'].includes(context.iformat?.name ?? '') ? readDescribed(path) : {}),
  });
  const durationSeconds = durationOf(input);
  const all = streams.map((stream) => streamFacts(stream, input, path));
  const factsFor = (stream: Stream): StreamFacts => all[streams.indexOf(stream)] as StreamFacts;
  return {
    path,
    sizeBytes: input.sizeBytes,
    format: containerOf(input, path),
    durationSeconds,
    bitRateBps: positive(Number(context.bitRate)),
    hasAudio: audio !== null,
    hasVideo: video !== null,
    audio: audio && audioFacts(audio, factsFor(audio)),
    video: video && videoFacts(video, factsFor(video), tags['timecode']),
    tags,
    cover: cover && coverFacts(cover),
    chapters: chaptersOf(path, context.iformat?.name ?? '', durationSeconds),
    streams: all,
  };
}

/** The error for a file without sound. */
export function noSound({ hasVideo }: MediaFacts): EarshotError {
  const what = hasVideo ? 'a video without sound' : 'a file without sound';
  return new EarshotError('no_audio', `Expected a file with sound but this is ${what}`);
}

/** The format of a file's sound as it is decoded without conversion. @throws EarshotError no_audio */
export function soundFormat(file: MediaFacts): AudioFormat {
  if (!file.audio) throw noSound(file);
  const { sampleRate, channels, layout } = file.audio;
  return { sampleRate, channels, layout };
}

/** Facts of a file that is being written, for all who ask once it is complete: it is looked at once, if at all. */
export function factsWhenWritten(path: string): () => MediaFacts {
  let facts: MediaFacts | null = null;
  return () => (facts ??= probe(path));
}

/**
 * Reads a media file's facts without decoding it: container, streams, rates, tags, chapters, cover art. Takes a few
 * milliseconds; reads the start of the file and, if the index is there, its end.
 * @throws EarshotError not_found, bad_request (not a regular file), file_invalid (empty or damaged), unsupported_format
 */
export function probe(path: string): MediaFacts {
  const input = openInput(path);
  try {
    return factsOf(input, path);
  } finally {
    input.close();
  }
}
