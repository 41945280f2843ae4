// Decodes a stream that may never end: bytes are asked for as they are needed, and nothing of the past is kept.
import { FormatContext, Frame, IOContext, Packet } from 'node-av/lib';
import { AVERROR_EOF, AVDISCARD_ALL, type AVSampleFormat } from 'node-av/constants';
import { EarshotError } from '../../core/errors/errors.ts';
import { createFifo } from '../ffmpeg/fifo.ts';
import { chooseAudioStream, describeCode, fenceOf } from '../ffmpeg/ffmpeg.ts';
import { applySampleWidth } from '../ffmpeg/sample-width.ts';
import { createFormatConverter } from '../convert/format-converter.ts';
import { openSoundDecoder } from '../ffmpeg/sound-decoder.ts';
import { bytesOf } from '../ffmpeg/wave-form.ts';
import { layoutOf } from './probe.ts';

/** Sound as it arrives, mono. */
export interface AudioStream {
  /** The next tenth of a second or so, a new array; null at the end. */
  next(): Promise<Float32Array<ArrayBuffer> | null>;
  close(): void;
}

/** FFmpeg's buffer of a stream: a sixth of a second of CD sound. */
const bufferBytes = 32_768;
/** Enough for the header of a WAV stream. */
const headBytes = 65_536;
/** Looked at to find out what it is, at most: sentences should not wait for it. */
const probeBytes = 262_144;
const probeMicroseconds = 1_000_000;
/** A piece of sound: short, so that nothing waits for it. */
const pieceSeconds = 0.1;
const inputChanged = -1668179713;

/**
 * @param chunks the stream's bytes; `next` is called only when some are needed
 * @param rate sample rate of the sound, Hz
 * @throws EarshotError unsupported_format, no_audio, file_invalid; whatever `chunks` throws
 */
export async function openAudioStream(chunks: AsyncIterator<Uint8Array>, rate: number): Promise<AudioStream> {
  const bytes = byteReader(chunks);
  const io = new IOContext();
  io.allocContextWithCallbacks(bufferBytes, 0, bytes.read, null, null);
  const context = new FormatContext();
  context.allocContext();
  context.pb = io;
  const fence = fenceOf({ probesize: probeBytes, analyzeduration: probeMicroseconds });
  const opened = await context.openInput('', null, fence);
  fence.free();
  const close = (): void => {
    bytes.end();
    context.closeInputSync();
  };
  if (opened < 0) {
    bytes.rethrow();
    throw new EarshotError(
      'unsupported_format',
      `Expected a stream of sound but it cannot be read as one: ${describeCode(opened)}`,
      { nextAction: 'Stream WAV, Ogg, MP3, Matroska or MPEG-TS; MP4 can be read only as a whole file.' },
    );
  }
  try {
    applySampleWidth(context.iformat?.name ?? '', context.streams, bytesOf(bytes.head()), null);
    const found = await context.findStreamInfo(null);
    bytes.rethrow();
    if (found < 0) throw new EarshotError('file_invalid', `The stream cannot be read: ${describeCode(found)}`);
    return decoding(context, bytes, rate, close);
  } catch (thrown) {
    close();
    throw thrown;
  }
}

interface ByteReader {
  read(size: number): Promise<Buffer | number>;
  /** The first bytes that were read. */
  head(): Buffer;
  /** Throws what the stream failed with. */
  rethrow(): void;
  /** Answers the end from now on. */
  end(): void;
}

function byteReader(chunks: AsyncIterator<Uint8Array>): ByteReader {
  let waiting: Buffer = Buffer.alloc(0);
  let failure: { readonly error: unknown } | null = null;
  let ended = false;
  const first: Buffer[] = [];
  let firstBytes = 0;
  return {
    async read(size) {
      try {
        while (waiting.length === 0 && !ended) {
          const { done, value } = await chunks.next();
          if (done) ended = true;
          else waiting = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
        }
      } catch (error) {
        failure = { error };
        ended = true;
      }
      if (waiting.length === 0) return AVERROR_EOF;
      const given = waiting.subarray(0, size);
      waiting = waiting.subarray(given.length);
      if (firstBytes < headBytes) {
        first.push(Buffer.from(given));
        firstBytes += given.length;
      }
      return given;
    },
    head: () => Buffer.concat(first),
    rethrow() {
      if (failure !== null) throw failure.error;
    },
    end() {
      ended = true;
      waiting = Buffer.alloc(0);
    },
  };
}

function decoding(context: FormatContext, bytes: ByteReader, rate: number, closeInput: () => void): AudioStream {
  const stream = chooseAudioStream(context.streams);
  if (!stream) throw new EarshotError('no_audio', 'Expected a stream with sound but it has none');
  for (const other of context.streams) if (other.index !== stream.index) other.discard = AVDISCARD_ALL;
  const { codecpar, index } = stream;
  const decoder = openSoundDecoder(stream);
  const { sampleRate, channels } = codecpar;
  const fifo = createFifo(decoder.channelLayout, sampleRate, decoder.sampleFormat);
  const converter = createFormatConverter(
    { sampleRate, channels, layout: layoutOf(stream).name },
    { sampleRate: rate, channels: 1 },
    pieceSeconds,
  );
  const [packet, frame] = [new Packet(), new Frame()];
  packet.alloc();
  frame.alloc();
  const size = Math.ceil(pieceSeconds * sampleRate);
  const planes = Array.from({ length: channels }, () => new Float32Array(size));
  const receive = (): void => {
    while (decoder.receiveFrameSync(frame) >= 0) {
      if (fifo.writeFrame(frame, frame.nbSamples) === inputChanged)
        fifo.writeChangedFrame(frame, frame.channelLayout, frame.sampleRate, frame.format as AVSampleFormat);
      frame.unref();
    }
  };
  /** @returns false at the end */
  const step = async (): Promise<boolean> => {
    const read = await context.readFrame(packet);
    if (read < 0) {
      bytes.rethrow();
      decoder.sendPacketSync(null);
    } else {
      // Damaged packets are left out.
      if (packet.streamIndex === index) decoder.sendPacketSync(packet);
      packet.unref();
    }
    receive();
    return read >= 0;
  };
  let [going, flushed] = [true, false];
  return {
    async next() {
      for (;;) {
        while (going && fifo.buffered < size) going = await step();
        const frames = fifo.read(planes, 0, size);
        if (frames === 0 && flushed) return null;
        flushed = frames === 0;
        const block = flushed
          ? converter.flush()
          : converter.convert({ planes: planes.map((plane) => plane.subarray(0, frames)), frames });
        if (block) return Float32Array.from((block.planes[0] as Float32Array).subarray(0, block.frames));
        if (flushed) return null;
      }
    },
    close() {
      converter.close();
      fifo.close();
      frame.free();
      packet.free();
      decoder.freeContext();
      closeInput();
    },
  };
}
