// Looks at an input before the run: WAV needs nothing, all else is decoded by mediabunny and the browser's own codecs
// into a file of the run.
import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import type { AudioSample, InputAudioTrack } from 'mediabunny';
import { throwIfAborted } from '../../library/core/abort.ts';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { tagBytes } from '../../library/media/tags/id3-frames.ts';
import type { FileTree } from '../files/tree.ts';
import { type Found, factsOfFound } from './looked-facts.ts';
import { remember } from './looked-at.ts';
import { gapOf } from './mp3-gap.ts';
import { notHere } from './not-here.ts';
import { statedFrames } from './stated-frames.ts';
import { lookAtWave } from './wave-sound.ts';

/** Our names of mediabunny's containers. */
const containers: Readonly<Record<string, string>> = {
  MP3: 'mp3',
  FLAC: 'flac',
  Ogg: 'ogg',
  ADTS: 'aac',
  WAVE: 'wav',
  MP4: 'mp4',
  QuickTime: 'mov',
  WebM: 'webm',
  Matroska: 'mkv',
};

/** FFmpeg's names where they differ from mediabunny's. */
const codecNames: Readonly<Record<string, string>> = { 'pcm-f32': 'pcm_f32le', ulaw: 'pcm_mulaw', alaw: 'pcm_alaw' };
const codecName = (codec: string): string => codecNames[codec] ?? codec.replace(/^pcm-(.*?)(be)?$/u, 'pcm_$1$2');

/** Writes interleaved floats in pieces of about a second, without what lies before and behind the sound. */
class SpoolWriter {
  private readonly handle: number;
  private readonly channels: number;
  private toSkip: number;
  private bytes = new Float32Array(0);
  written = 0;

  constructor(path: string, channels: number, lead: number) {
    this.handle = openSync(path, 'w');
    this.channels = channels;
    this.toSkip = lead;
  }

  silence(frames: number): void {
    for (let left = frames; left > 0; left -= 48_000)
      this.put(new Float32Array(Math.min(left, 48_000) * this.channels));
  }

  add(sample: AudioSample): void {
    const { channels } = this;
    const size = sample.numberOfFrames * channels;
    if (this.bytes.length < size) this.bytes = new Float32Array(size);
    sample.copyTo(this.bytes.subarray(0, size), { planeIndex: 0, format: 'f32' });
    const skipped = Math.min(this.toSkip, sample.numberOfFrames);
    this.toSkip -= skipped;
    this.put(this.bytes.subarray(skipped * channels, size));
  }

  private put(samples: Float32Array): void {
    const at = this.written * this.channels * 4;
    writeSync(this.handle, samples, 0, samples.byteLength, at);
    this.written += samples.length / this.channels;
  }

  close(): void {
    closeSync(this.handle);
  }
}

function mp3Gap(path: string): ReturnType<typeof gapOf> {
  const handle = openSync(path, 'r');
  try {
    const head = Buffer.alloc(10);
    readSync(handle, head, 0, 10, 0);
    const frame = Buffer.alloc(400);
    readSync(handle, frame, 0, 400, tagBytes(head));
    return gapOf(frame);
  } finally {
    closeSync(handle);
  }
}

/** A gap in the time stamps that is no rounding, seconds. */
const leastGap = 0.05;

interface Decoded {
  readonly frames: number;
  readonly channels: number;
  readonly sampleRate: number;
}

async function decode(
  samples: AsyncIterable<AudioSample>,
  spool: string,
  gap: { readonly lead: number; readonly trail: number },
  signal: AbortSignal,
): Promise<Decoded | null> {
  let writer: SpoolWriter | null = null;
  let [channels, sampleRate] = [0, 0];
  try {
    for await (const sample of samples) {
      try {
        throwIfAborted(signal);
        if (writer === null) {
          ({ numberOfChannels: channels, sampleRate } = sample);
          // Of codecs that state their delay by times, what lies before zero is no sound.
          const early = sample.timestamp < 0 ? Math.round(-sample.timestamp * sampleRate) : 0;
          writer = new SpoolWriter(spool, channels, gap.lead + early);
          if (sample.timestamp > leastGap) writer.silence(Math.round(sample.timestamp * sampleRate));
        }
        if (sample.numberOfChannels !== channels || sample.sampleRate !== sampleRate)
          throw notHere('Sound that changes its form is not read');
        writer.add(sample);
      } finally {
        sample.close();
      }
    }
  } finally {
    writer?.close();
  }
  return writer && { frames: Math.max(0, writer.written - gap.trail), channels, sampleRate };
}

const cannotRead = (codec: string | null, container: string): EarshotError =>
  notHere(`Sound of the codec ${codec ?? 'unknown'} in ${container} files is not read`);

async function soundOf(
  track: InputAudioTrack,
  sink: AsyncIterable<AudioSample>,
  path: string,
  spool: string,
  container: string,
  signal: AbortSignal,
): Promise<NonNullable<Found['sound']>> {
  const codec = await track.getCodec();
  if (codec === null || !(await track.canDecode())) throw cannotRead(codec, container);
  const gap = container === 'mp3' ? mp3Gap(path) : { lead: 0, trail: 0 };
  const decoded = await decode(sink, spool, gap, signal);
  if (!decoded || decoded.frames === 0)
    throw new EarshotError(
      'file_invalid',
      'The file has a sound stream but none of it can be decoded; it is damaged or truncated',
    );
  const { channels, sampleRate } = decoded;
  const stated = statedFrames(path, container, codec, sampleRate);
  const language = await track.getLanguageCode();
  return {
    codec: codecName(codec),
    sampleRate,
    channels,
    // Never longer than what was decoded.
    frames: stated === null ? decoded.frames : Math.min(stated, decoded.frames),
    language: language === 'und' ? null : language,
  };
}

/**
 * @throws EarshotError file_invalid, unsupported_format: this browser cannot read it
 * @throws AbortError
 */
export async function lookAtInput(files: FileTree, path: string, signal: AbortSignal): Promise<void> {
  const { size } = statSync(path);
  if (size === 0) throw new EarshotError('file_invalid', 'The file is empty');
  if (lookAtWave(path)) return;
  const { ALL_FORMATS, AudioSampleSink, BlobSource, Input } = await import('mediabunny');
  const input = new Input({ source: new BlobSource(files.blobOf(path, '')), formats: ALL_FORMATS });
  if (!(await input.canRead())) throw notHere('Files of this format are not read');
  const format = await input.getFormat();
  const named = containers[format.name] ?? format.name.toLowerCase();
  const [sound, picture] = [await input.getPrimaryAudioTrack(), await input.getPrimaryVideoTrack()];
  const soundCodec = sound && (await sound.getCodec());
  const container =
    named === 'mp4' && !picture ? 'm4a' : named === 'ogg' && soundCodec === 'opus' && !picture ? 'opus' : named;
  const spool = `/spool${path}`;
  const found = sound && (await soundOf(sound, new AudioSampleSink(sound).samples(), path, spool, container, signal));
  const facts = factsOfFound({
    path,
    sizeBytes: size,
    container,
    sound: found,
    picture: picture && {
      codec: (await picture.getCodec()) ?? 'unknown',
      width: await picture.getCodedWidth(),
      height: await picture.getCodedHeight(),
    },
  });
  remember(path, { facts, spool: found ? spool : null, frames: found?.frames ?? 0 });
}
