// Opens inputs safely with FFmpeg and turns its failures into our errors.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import {
  avGetCodecName,
  CodecContext,
  Dictionary,
  FFmpegError,
  FormatContext,
  InputFormat,
  Log,
  Packet,
  type Stream,
} from 'node-av/lib';
import {
  AV_DISPOSITION_ATTACHED_PIC,
  AV_LOG_QUIET,
  AV_OPT_TYPE_INT,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_VIDEO,
} from 'node-av/constants';
import { isDiskFull, makeRoom } from '../../core/errors/disk-full.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import { pathError } from '../../core/errors/file-errors.ts';
import type { Warning } from '../../core/progress/progress.ts';
import { countTagEntries } from '../chapters/tag-entries.ts';
import { inputDemuxers } from '../formats.ts';
import { unreadableMp4 } from '../mp4/unreadable.ts';
import { stateAviStarts } from './avi-clock.ts';
import { decodersFor, hasStills, isDecodable } from './decoders.ts';
import { tagBytes } from '../tags/id3-frames.ts';
import { type PictureSize, pictureSize } from '../tags/picture-size.ts';
import { namedFormat } from './named-format.ts';
import { type PacketReader, readerOf } from './packet-reader.ts';
import { isPlainWav } from './plain-wav.ts';
import { applySampleWidth } from './sample-width.ts';
import { ticksToSeconds } from './ticks.ts';
import { withBytes } from './wave-form.ts';
import { applySoundChoice, soundStreams } from './sound-choice.ts';

Log.setLevel(AV_LOG_QUIET);

const probeBytes = 256 * 1024;
const whitelisted = new Set<string>(inputDemuxers);
const isWhitelisted = (demuxer: string): boolean => demuxer.split(',').some((name) => whitelisted.has(name));

export const describeCode = (code: number): string => FFmpegError.strerror(code);

/** Throws internal_error when FFmpeg fails where valid arguments cannot fail; advises on a full disk. */
export function expectOk(code: number, what: string): number {
  if (code < 0) {
    // FFmpeg passes the system's error numbers on.
    const advice = isDiskFull({ errno: code }) ? { nextAction: makeRoom } : {};
    throw new EarshotError('internal_error', `${what} failed: ${describeCode(code)}`, {
      details: { ffmpegCode: code },
      ...advice,
    });
  }
  return code;
}

/** AVERROR_INVALIDDATA: what a container's bitstream filter makes of damaged pictures and sound that are copied. */
const invalidData = -1_094_995_529;

/**
 * As {@link expectOk}, of a call that writes packets or the end of a file: it may write others that waited.
 * @throws EarshotError `file_invalid` where one that is copied is damaged, else `internal_error`
 */
export function expectWritten(code: number, what: string): void {
  if (code === invalidData)
    throw new EarshotError(
      'file_invalid',
      `A stream of the file is damaged and cannot be copied: ${describeCode(code)}`,
    );
  expectOk(code, what);
}

function readHead(path: string, fromByte: number): { head: Buffer; sizeBytes: number } {
  let handle: number;
  try {
    handle = openSync(path, 'r');
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') throw new EarshotError('not_found', `There is no file at ${path}`, { cause });
    throw pathError(cause, path, 'file');
  }
  try {
    const stat = fstatSync(handle);
    if (!stat.isFile())
      throw new EarshotError(
        'bad_request',
        `Expected a regular file at ${path} but found a ${stat.isDirectory() ? 'folder' : 'special file'}`,
      );
    const head = Buffer.alloc(Math.min(probeBytes, Math.max(0, stat.size - fromByte)));
    const got = readSync(handle, head, 0, head.length, fromByte);
    return { head: head.subarray(0, got), sizeBytes: stat.size };
  } finally {
    closeSync(handle);
  }
}

/** Complete UTF-8 characters (except a last one that was cut), and no control characters except line ends and tabs. */
function isText(head: Buffer): boolean {
  if (head.length === 0) return false;
  const text = new TextDecoder().decode(head, { stream: true });
  // oxlint-disable-next-line no-control-regex -- text has none of these
  return !/[\u0000-\u0008\u000e-\u001a\u001c-\u001f\ufffd]/.test(text);
}

/** Why a file could not be opened, as the most helpful error of the catalogue. */
function openFailure(path: string, head: Buffer, code: number): EarshotError {
  // FFmpeg's probe needs readable bytes after the end of the data.
  const padded = Buffer.concat([head, Buffer.alloc(64)]);
  const named = namedFormat(head);
  const byName = (named ?? InputFormat.probe(padded, path))?.name ?? null;
  // A file name alone does not make it a damaged recording: a playlist named .mp4 is still a playlist.
  const isKnown = byName !== null && isWhitelisted(byName);
  const demuxer = isKnown ? ((named ?? InputFormat.probe(padded))?.name ?? null) : byName;
  const details = { ffmpegCode: code, detectedFormat: demuxer };
  const mp4 = unreadableMp4(path);
  if (mp4 !== null) return mp4;
  if (isText(head) && (demuxer === null || !isWhitelisted(demuxer)))
    return new EarshotError('unsupported_format', 'Expected an audio or video file but this is a text file', {
      details,
    });
  if (demuxer === null)
    return new EarshotError(
      'unsupported_format',
      'Expected an audio or video file but the content has no known format',
      { details },
    );
  if (!isWhitelisted(demuxer)) {
    return new EarshotError(
      'unsupported_format',
      `Expected an audio or video file but the content looks like "${demuxer}"`,
      { details },
    );
  }
  return new EarshotError(
    'file_invalid',
    `The file looks like ${demuxer.split(',')[0]} but cannot be opened: ${describeCode(code)}; it is ` +
      'damaged or cut off',
    { details },
  );
}

export interface OpenedInput extends PacketReader<OpenedInput> {
  readonly context: FormatContext;
  readonly streams: readonly Stream[];
  readonly sizeBytes: number;
  /** Where what is read begins in the file. */
  readonly fromByte: number;
  /** The first bytes from there on. */
  readonly head: Buffer;
}

/** Options that keep an input within known demuxers and decoders. The caller frees them. */
export const fenceOf = (options: Readonly<Record<string, number | string>> = {}): Dictionary =>
  Dictionary.fromObject({
    protocol_whitelist: 'file',
    format_whitelist: inputDemuxers.join(','),
    codec_whitelist: decodersFor(true),
    // A malicious header may declare a million streams.
    max_streams: 256,
    ...options,
  });

function openFenced(
  context: FormatContext,
  path: string,
  format: InputFormat | null,
  options: Readonly<Record<string, number | string>> = {},
  fromByte = 0,
): number {
  const isPart = fromByte > 0;
  const dictionary = fenceOf(isPart ? { ...options, protocol_whitelist: 'file,subfile' } : options);
  try {
    // The prefix makes names like "concat:x" or "http:x" file names.
    return context.openInputSync(
      `${isPart ? `subfile,,start,${fromByte},end,0,,:` : ''}file:${path}`,
      format,
      dictionary,
    );
  } finally {
    dictionary.free();
  }
}

/** Tags of recordings have about twenty entries. */
const mostTagEntries = 4096;

/** FFmpeg's time for a tag grows with the square of its entries. */
function requireFewEntries(path: string): void {
  if (countTagEntries(path, mostTagEntries) > mostTagEntries)
    throw new EarshotError(
      'file_invalid',
      `Expected at most ${mostTagEntries} entries in the file's tag but it has more; remove the tag and try again`,
    );
}

/**
 * Gives FFmpeg the size of covers and no decoder for them, since they are copied as bytes: a cover of 256 megapixels
 * took five seconds and a gigabyte each time its file was opened.
 */
function leaveCoversAlone(context: FormatContext, open: (context: FormatContext) => number): void {
  const covers = context.streams.filter(isCoverStream);
  if (covers.length === 0) return;
  // Covers in Base64 take several times their size in memory whenever they are read: a size that is stated is taken.
  const isStated =
    context.iformat?.name === 'ogg' && covers.every(({ codecpar }) => codecpar.width * codecpar.height > 0);
  const sizes = isStated ? null : coverSizes(open, covers.length);
  // A cover of unknown format also needs a size, or no file with it can be written.
  if (sizes)
    for (const { index, codecpar } of covers) Object.assign(codecpar, sizes.get(index) ?? { width: 1, height: 1 });
  // Motion JPEG and similar codecs need the same decoders.
  if (!context.streams.some((stream) => isVideoStream(stream) && hasStills(stream)))
    context.setOption('codec_whitelist', decodersFor(false));
}

/** FFmpeg returns covers before anything else; reading them here leaves those of the other context in place. */
function coverSizes(open: (context: FormatContext) => number, count: number): Map<number, PictureSize> {
  const sizes = new Map<number, PictureSize>();
  const context = new FormatContext();
  if (open(context) < 0) return sizes;
  const packet = new Packet();
  packet.alloc();
  try {
    for (let tries = 0; tries < count && context.readFrameSync(packet) >= 0; tries += 1) {
      const size = packet.data && pictureSize(packet.data);
      if (size) sizes.set(packet.streamIndex, size);
      packet.unref();
    }
    return sizes;
  } finally {
    packet.free();
    context.closeInputSync();
  }
}

/**
 * For a transport stream whose sound begins late: FFmpeg stops looking at once where all that has begun is known, and
 * after 5 MB.
 */
const patient = { scan_all_pmts: 1, probesize: 64 * 1024 * 1024, analyzeduration: 60_000_000 };

/** Is there sound of which nothing is known? */
const hasUnknownSound = ({ iformat, streams }: FormatContext): boolean =>
  iformat?.name === 'mpegts' && streams.some((stream) => isAudioStream(stream) && stream.codecpar.sampleRate === 0);

/**
 * Opens a file for reading: file protocol and known demuxers only, so that no playlist in it reaches other files or
 * hosts.
 * @param fromByte what is read begins there. Default 0
 * @throws EarshotError not_found, bad_request (not a regular file), file_invalid, unsupported_format
 */
export const openInput = (path: string, fromByte = 0): OpenedInput => openPart(path, fromByte, {});

/** @param looks options of FFmpeg that say how far it looks for what is in the file */
function openPart(path: string, fromByte: number, looks: Readonly<Record<string, number>>): OpenedInput {
  const { head, sizeBytes } = readHead(path, fromByte);
  if (sizeBytes === 0)
    throw new EarshotError('file_invalid', 'The file is empty: expected an audio or video file but received 0 bytes');
  const context = new FormatContext();
  requireFewEntries(path);
  const format = namedFormat(head);
  const openAgain = (other: FormatContext, options: Readonly<Record<string, number | string>> = {}): number =>
    openFenced(other, path, format, { ...looks, ...options }, fromByte);
  const opened = openAgain(context, isPlainWav(head) ? { max_probe_packets: 1 } : {});
  if (opened < 0) {
    // FFmpeg skips a tag before a few formats alone, and taggers put one before any.
    const behindTag = fromByte > 0 ? 0 : tagBytes(head);
    if (behindTag > 0 && behindTag < sizeBytes) return openInput(path, behindTag);
    throw openFailure(path, head, opened);
  }
  const close = (): void => context.closeInputSync();
  try {
    leaveCoversAlone(context, openAgain);
    const stateBits = withBytes({ path, head, fromByte }, (bytes) =>
      applySampleWidth(context.iformat?.name ?? '', context.streams, bytes, sizeBytes - fromByte),
    );
    const found = context.findStreamInfoSync(null);
    if (found < 0) throw openFailure(path, head, found);
    if (looks !== patient && hasUnknownSound(context)) {
      close();
      return openPart(path, fromByte, patient);
    }
    stateBits();
    if (context.iformat?.name === 'avi') stateAviStarts(head, context.streams);
    const isBare = soundStreams(context.streams).length === 0 && !context.streams.some(isVideoStream);
    const unreadable = isBare ? unreadableMp4(path) : null;
    if (unreadable !== null) throw unreadable;
    applySoundChoice(path, context.streams);
    const reopen = (): FormatContext => {
      const other = new FormatContext();
      expectOk(openAgain(other), 'Opening the file again');
      expectOk(other.findStreamInfoSync(null), 'Looking at the streams again');
      return other;
    };
    const reader = readerOf(context, { path, head, fromByte, reopen, openAt: (next) => openInput(path, next) });
    return { context, streams: context.streams, sizeBytes, fromByte, head, ...reader };
  } catch (error) {
    close();
    throw error;
  }
}

export const isAudioStream = (stream: Stream): boolean => stream.codecpar.codecType === AVMEDIA_TYPE_AUDIO;
/** Cover art is a video stream with this flag. */
export const isCoverStream = (stream: Stream): boolean =>
  stream.codecpar.codecType === AVMEDIA_TYPE_VIDEO && (stream.disposition & AV_DISPOSITION_ATTACHED_PIC) !== 0;
/** Moving pictures. A damaged stream without a size cannot be shown. */
export const isVideoStream = (stream: Stream): boolean => {
  const { codecType, width, height } = stream.codecpar;
  return codecType === AVMEDIA_TYPE_VIDEO && width > 0 && height > 0 && !isCoverStream(stream);
};

/** Is the stream interlaced by its header? */
export function isInterlaced(stream: Stream): boolean {
  const context = new CodecContext();
  try {
    context.allocContext3(null);
    context.parametersToContext(stream.codecpar);
    return (context.getOption('field_order', AV_OPT_TYPE_INT) ?? 0) > 1;
  } finally {
    context.freeContext();
  }
}

/**
 * The file's zero, where players show it: the earliest start of its pictures and sounds, seconds on its streams' clock.
 * Sound may start below 0 with what its encoder put before it, and no player plays that.
 */
export function zeroOf(streams: readonly Stream[]): number {
  const starts = streams.flatMap((stream) => {
    const start = ticksToSeconds(stream.startTime, stream.timeBase);
    if (start === null) return [];
    return isVideoStream(stream) ? start : isAudioStream(stream) ? Math.max(0, start) : [];
  });
  return starts.length === 0 ? 0 : Math.min(...starts);
}

/** Does a stream start after the file's zero? */
export const startsLate = ({ startTime, timeBase }: Stream, all: readonly Stream[]): boolean =>
  (ticksToSeconds(startTime, timeBase) ?? 0) > zeroOf(all);

const firstOf = (streams: readonly Stream[]): Stream | null =>
  streams.find((stream) => (stream.disposition & 1) !== 0) ?? streams[0] ?? null;

/**
 * The stream to process: the default one, else the first with a sample rate; another where that one cannot be decoded,
 * as Apple's spatial sound.
 */
export function chooseAudioStream(streams: readonly Stream[]): Stream | null {
  const usable = soundStreams(streams);
  const decodable = usable.filter(isDecodable);
  return firstOf(decodable) ?? firstOf(usable);
}

/** Says that the sound track that players choose cannot be decoded, and which one is read; null: it can be. */
export function trackSkipped(streams: readonly Stream[], read: Stream): Warning | null {
  const usable = soundStreams(streams);
  const usual = firstOf(usable);
  if (usual === null || usual === read || isDecodable(usual)) return null;
  const described = (stream: Stream): string =>
    `${usable.indexOf(stream) + 1} (${avGetCodecName(stream.codecpar.codecId) ?? 'unknown'})`;
  return {
    code: 'sound_track_skipped',
    message: `Sound track ${described(usual)} cannot be decoded; track ${described(read)} was read`,
  };
}
