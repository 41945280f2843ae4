import type { Stream } from 'node-av/lib';
import { EarshotError } from '../../core/errors/errors.ts';
import type { Warning } from '../../core/progress/progress.ts';
import type { AudioBlock, AudioFormat } from '../../pcm/block.ts';
import type { MediaFacts } from '../facts.ts';
import { chooseAudioStream, isVideoStream, openInput, type OpenedInput, trackSkipped } from '../ffmpeg/ffmpeg.ts';
import { refuseEncrypted } from '../mp4/unreadable.ts';
import { layoutOf, noSound } from './probe.ts';
import { createFittingConverter } from '../convert/fitting-mix.ts';
import { createFormatConverter } from '../convert/format-converter.ts';
import { prerollSeconds, StreamDecoder } from './stream-decoder.ts';
import { declaredSeconds, shortfall, statedSeconds } from './truncation.ts';

export interface DecodeOptions {
  /** Start, seconds from the file's zero (see `openAudio`). Default 0. Exact to the sample. */
  readonly from?: number;
  /** End, seconds. Default: the end. */
  readonly to?: number;
  /** Sample rate to convert to, Hz. Default: the file's. */
  readonly rate?: number;
  /** Channel count to convert to (down-mix by ITU-R BS.775-3). Default: the file's. */
  readonly channels?: number;
  /** Are peaks that add up above full scale in a down-mix lowered? Default false: what follows sees to its peaks. */
  readonly fitting?: boolean;
  readonly signal?: AbortSignal;
}

/** An open file as a source of PCM. `next` is synchronous; let the event loop run between calls. */
export interface AudioSource {
  /** The format of the blocks, after conversion. */
  readonly format: AudioFormat;
  /** Number of frames as the container states it; null when it does not. Good for progress, nothing else. */
  readonly expectedFrames: number | null;
  /** Grows while reading; complete once `next` has returned null. */
  readonly warnings: readonly Warning[];
  /** About one second of sound, reused by the next call; null at the end. */
  next(): AudioBlock | null;
  /** As in `BlockSource`. */
  ready?(): Promise<void> | null;
  close(): void;
}

function openStream(file: MediaFacts): { decoder: StreamDecoder; stream: Stream; input: OpenedInput } {
  const input = openInput(file.path);
  try {
    const stream = chooseAudioStream(input.streams);
    if (!stream) throw noSound(file);
    const picture = input.streams.find(isVideoStream);
    const pictureSeconds = (picture && statedSeconds(picture)) ?? 0;
    const decoder = new StreamDecoder(input, stream, pictureSeconds);
    const skipped = trackSkipped(input.streams, stream);
    if (skipped) decoder.warnings.push(skipped);
    return { decoder, stream, input };
  } catch (error) {
    input.close();
    throw error;
  }
}

/**
 * Opens a file's sound as planar float32 blocks of about one second. Memory is constant in the file's length. Encoder
 * delay and padding are already removed. Times count from the file's zero, where players show it: sound that starts
 * after the picture has silence before it. Gaps of up to a minute, or as long as a picture continues, and holes where
 * parts of the file are lost become silence, so that times stay correct, with the warning `sound_missing`; longer jumps
 * of the clock are ignored with the warning `clock_jump`.
 * @param facts of the file, from `probe`: a run looks at a file once, however often it reads it
 * @throws EarshotError as `probe`, and no_audio, file_invalid (nothing can be decoded), bad_request (from after to)
 */
export function openAudio(facts: MediaFacts, options: DecodeOptions = {}): AudioSource {
  const { from = 0, to = Number.POSITIVE_INFINITY } = options;
  if (!(from >= 0) || !(to >= from))
    throw new EarshotError('bad_request', `Expected 0 <= from <= to in seconds but received from ${from} and to ${to}`);
  let opened = openStream(facts);
  const startFrame = Math.round(from * opened.decoder.sampleRate);
  if (startFrame > 0 && !(from > prerollSeconds && opened.decoder.seek(startFrame))) {
    if (opened.decoder.hasMoved) {
      opened.decoder.close();
      opened = openStream(facts);
    }
    opened.decoder.skipFrames(startFrame);
  }
  const { decoder, stream, input } = opened;
  const native: AudioFormat = {
    sampleRate: decoder.sampleRate,
    channels: decoder.channels,
    layout: layoutOf(stream).name,
  };
  const converter = (options.fitting ? createFittingConverter : createFormatConverter)(native, {
    sampleRate: options.rate ?? native.sampleRate,
    channels: options.channels ?? native.channels,
  });
  const endFrame = to === Number.POSITIVE_INFINITY ? null : Math.round(to * native.sampleRate);
  const leadSeconds = decoder.leadFrames / native.sampleRate;
  const declared = declaredSeconds(stream, facts, leadSeconds) ?? facts.durationSeconds;
  const expectedNative =
    declared === null
      ? null
      : Math.max(
          0,
          Math.min(Math.round(declared * native.sampleRate), endFrame ?? Number.POSITIVE_INFINITY) - startFrame,
        );
  const lastFrame = Math.min(endFrame ?? Number.POSITIVE_INFINITY, decoder.endFrame ?? Number.POSITIVE_INFINITY);
  let wanted = Math.max(0, lastFrame - startFrame);
  const warnings: Warning[] = decoder.warnings;
  let finished = false;

  const finish = (): void => {
    finished = true;
    const isDamaged = warnings.some(({ code }) => code === 'damaged_sound');
    if (decoder.producedFrames === 0 || isDamaged) refuseEncrypted(facts.path);
    if (decoder.producedFrames === 0 && startFrame === 0 && wanted > 0) {
      throw new EarshotError(
        'file_invalid',
        'The file has a sound stream but none of it can be decoded; it is damaged or truncated',
      );
    }
    // What a chain states is its last stream's count, at that one's rate.
    const missing =
      endFrame === null && !decoder.wentOn
        ? shortfall(input, facts, stream, {
            seconds: (startFrame + decoder.producedFrames) / native.sampleRate,
            leadSeconds,
            beginSeconds: decoder.beginSeconds,
          })
        : null;
    if (missing) warnings.push(missing);
  };

  return {
    format: converter.format,
    expectedFrames:
      expectedNative === null ? null : Math.round((expectedNative * converter.format.sampleRate) / native.sampleRate),
    get warnings() {
      return [...warnings, ...decoder.mended];
    },
    next() {
      for (;;) {
        if (finished) return null;
        const block = wanted > 0 ? decoder.next() : null;
        if (block === null) {
          finish();
          const rest = converter.flush();
          warnings.push(...converter.warnings());
          return rest;
        }
        const frames = Math.min(block.frames, wanted);
        wanted -= frames;
        const out = converter.convert(
          frames === block.frames ? block : { planes: block.planes.map((plane) => plane.subarray(0, frames)), frames },
        );
        if (out) return out;
      }
    },
    close() {
      converter.close();
      decoder.close();
    },
  };
}
