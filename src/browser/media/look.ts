// Looks at an input before the run: WAV needs nothing, all else is decoded by mediabunny and the browser's own codecs
// into a file of the run.
import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import type { AudioSample, InputAudioTrack } from 'mediabunny';
import { isAbortError, throwIfAborted } from '../../library/core/abort.ts';
import { isDiskFull } from '../../library/core/errors/disk-full.ts';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { mostSampleRate } from '../../library/media/ffmpeg/sound-decoder.ts';
import { tagBytes } from '../../library/media/tags/id3-frames.ts';
import type { FileTree } from '../files/tree.ts';
import { type Found, factsOfFound } from './looked-facts.ts';
import { remember } from './looked-at.ts';
import { gapOf } from './mp3-gap.ts';
import { notHere } from './not-here.ts';
import { soundFrames } from './sound-frames.ts';
import { lookAtWave } from './wave-sound.ts';

/** Our names of mediabunny's containers. */
const containers: Readonly<Record<string, string>> = {
  MP3: 'mp3',
  FLAC: 'flac',
  Ogg: 'ogg',
  ADTS: 'aac',
  WAVE: 'wav',
  MP4: 'mp4',
  'QuickTime File Format': 'mov',
  WebM: 'webm',
  Matroska: 'mkv',
};

/** FFmpeg's names where they differ from mediabunny's. */
const codecNames: Readonly<Record<string, string>> = { 'pcm-f32': 'pcm_f32le', ulaw: 'pcm_mulaw', alaw: 'pcm_alaw' };
const codecName = (codec: string): string => codecNames[codec] ?? codec.replace(/^pcm-(.*?)(be)?$/u, 'pcm_$1$2');

const damaged = (container: string | null, cause?: unknown): EarshotError =>
  new EarshotError(
    'file_invalid',
    `The file looks like ${container ?? 'sound'} but cannot be read; it is damaged or cut off`,
    { cause },
  );

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

interface Gap {
  /** Frames. */
  readonly lead: number;
  readonly trail: number;
  /** Does the decoder leave out what lies before zero? */
  readonly dropsDelay: boolean;
}

async function decode(
  samples: AsyncIterable<AudioSample>,
  spool: string,
  { lead, trail, dropsDelay }: Gap,
  signal: AbortSignal,
  onSeconds: (seconds: number) => void,
): Promise<Decoded | null> {
  let writer: SpoolWriter | null = null;
  let [channels, sampleRate] = [0, 0];
  try {
    for await (const sample of samples) {
      try {
        throwIfAborted(signal);
        if (writer === null) {
          ({ numberOfChannels: channels, sampleRate } = sample);
          if (sampleRate > mostSampleRate) throw damaged(null);
          // Of codecs that state their delay by times, what lies before zero is no sound; decoders of Opus drop it.
          const early = sample.timestamp < 0 && !dropsDelay ? Math.round(-sample.timestamp * sampleRate) : 0;
          writer = new SpoolWriter(spool, channels, lead + early);
          if (sample.timestamp > leastGap) writer.silence(Math.round(sample.timestamp * sampleRate));
        }
        if (sample.numberOfChannels !== channels || sample.sampleRate !== sampleRate)
          throw notHere('Sound that changes its form is not read');
        writer.add(sample);
        onSeconds(writer.written / sampleRate);
      } finally {
        sample.close();
      }
    }
  } finally {
    writer?.close();
  }
  return writer && { frames: Math.max(0, writer.written - trail), channels, sampleRate };
}

/** Of a sample, by the head of a FLAC stream, which every container holds. */
function flacBits(head: AllowSharedBufferSource | undefined): number | null {
  if (head === undefined) return null;
  const bytes = ArrayBuffer.isView(head)
    ? new Uint8Array(head.buffer, head.byteOffset, head.byteLength)
    : new Uint8Array(head);
  const [upper = 0, lower = 0] = bytes.subarray(20, 22);
  return bytes.length < 22 ? null : (((upper & 1) << 4) | (lower >> 4)) + 1;
}

const pcmBits = (codec: string): number | null => {
  const [, bits] = /^pcm_[a-z](\d+)/u.exec(codec) ?? [];
  return bits === undefined ? null : Number(bits);
};

const cannotRead = (codec: string | null, container: string): EarshotError =>
  notHere(`Sound of the codec ${codec ?? 'unknown'} in ${container} files is not read`);

async function soundOf(
  track: InputAudioTrack,
  sink: AsyncIterable<AudioSample>,
  path: string,
  spool: string,
  container: string,
  signal: AbortSignal,
  onFraction: (fraction: number) => void,
): Promise<NonNullable<Found['sound']>> {
  const codec = await track.getCodec();
  if (codec === null || !(await track.canDecode())) {
    const inner = await track.getInternalCodecId();
    throw cannotRead(codec ?? (typeof inner === 'string' ? inner.trim() : null), container);
  }
  const { lead, trail } = container === 'mp3' ? mp3Gap(path) : { lead: 0, trail: 0 };
  const whole = await track.getDurationFromMetadata();
  const decoded = await decode(sink, spool, { lead, trail, dropsDelay: codec === 'opus' }, signal, (seconds) => {
    if (whole) onFraction(seconds / whole);
  });
  if (!decoded || decoded.frames === 0)
    throw new EarshotError(
      'file_invalid',
      'The file has a sound stream but none of it can be decoded; it is damaged or truncated',
    );
  const { channels, sampleRate } = decoded;
  const description = (await track.getDecoderConfig())?.description;
  const language = await track.getLanguageCode();
  return {
    codec: codecName(codec),
    sampleRate,
    channels,
    frames: soundFrames(path, container, codec, decoded),
    // The heads of others count what is padding, too.
    statedFrames:
      whole && (container === 'flac' || container === 'mp3') ? Math.round(whole * sampleRate) - lead - trail : null,
    bits: codec === 'flac' ? flacBits(description) : pcmBits(codecName(codec)),
    language: language === 'und' ? null : language,
  };
}

/** What the browser and mediabunny say of a file that is not right, they say in words of their own. */
async function orDamaged<Value>(work: Promise<Value>, container: () => string | null): Promise<Value> {
  try {
    return await work;
  } catch (thrown) {
    if (thrown instanceof EarshotError || isAbortError(thrown) || isDiskFull(thrown)) throw thrown;
    throw damaged(container(), thrown);
  }
}

/**
 * @param onFraction how much of what is no WAV has been decoded, 0 to 1; not called where the file does not say how
 * long it is
 * @throws EarshotError file_invalid, unsupported_format: this browser cannot read it
 * @throws AbortError
 */
export async function lookAtInput(
  files: FileTree,
  path: string,
  signal: AbortSignal,
  onFraction: (fraction: number) => void,
): Promise<void> {
  if (statSync(path).size === 0) throw new EarshotError('file_invalid', 'The file is empty');
  if (lookAtWave(path)) return;
  let container: string | null = null;
  const told = (found: string): void => void (container = found);
  await orDamaged(lookAtCoded(files, path, signal, onFraction, told), () => container);
}

/** @param onContainer gets what it looks like */
async function lookAtCoded(
  files: FileTree,
  path: string,
  signal: AbortSignal,
  onFraction: (fraction: number) => void,
  onContainer: (container: string) => void,
): Promise<void> {
  const { ALL_FORMATS, AudioSampleSink, BlobSource, Input } = await import('mediabunny');
  const blob = files.inputOf(path);
  if (blob === null) throw new TypeError('Expected an input');
  const input = new Input({ source: new BlobSource(blob), formats: ALL_FORMATS });
  if (!(await input.canRead())) throw notHere('Files of this format are not read');
  const format = await input.getFormat();
  const named = containers[format.name] ?? format.name.toLowerCase();
  onContainer(named);
  const [sound, picture] = [await input.getPrimaryAudioTrack(), await input.getPrimaryVideoTrack()];
  const soundCodec = sound && (await sound.getCodec());
  const container =
    named === 'mp4' && !picture ? 'm4a' : named === 'ogg' && soundCodec === 'opus' && !picture ? 'opus' : named;
  // What mediabunny does not know in Ogg is no track for it. The list of tracks of a film may lie at its end.
  if (!sound && !picture) throw named === 'mp4' || named === 'mov' ? damaged(named) : cannotRead(null, container);
  const spool = `/spool${path}`;
  const found =
    sound && (await soundOf(sound, new AudioSampleSink(sound).samples(), path, spool, container, signal, onFraction));
  const facts = factsOfFound({
    path,
    sizeBytes: blob.size,
    container,
    sound: found,
    picture: picture && {
      codec: (await picture.getCodec()) ?? 'unknown',
      width: await picture.getCodedWidth(),
      height: await picture.getCodedHeight(),
    },
  });
  const { frames = 0, statedFrames = null } = found ?? {};
  remember(path, { facts, spool: found ? spool : null, frames, statedFrames });
}
