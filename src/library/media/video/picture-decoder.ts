import { CodecContext, Frame, type Packet, type Stream } from 'node-av/lib';
import { AVERROR_EAGAIN } from 'node-av/constants';
import { EarshotError } from '../../core/errors/errors.ts';
import { findDecoder, mostPixels } from '../ffmpeg/decoders.ts';
import { describeCode, expectOk } from '../ffmpeg/ffmpeg.ts';

/** Decodes a stream's packets to frames in display order. Skips and counts damaged pictures. */
export class PictureDecoder {
  damaged = 0;
  private readonly context = new CodecContext();
  private readonly frame = new Frame();
  private readonly take: (frame: Frame) => void;
  private fed = false;

  constructor(stream: Stream, threads: number, take: (frame: Frame) => void) {
    this.take = take;
    const decoder = findDecoder(stream.codecpar.codecId, 'picture');
    this.context.allocContext3(decoder);
    this.context.parametersToContext(stream.codecpar);
    this.context.pktTimebase = stream.timeBase;
    this.context.threadCount = threads;
    expectOk(this.context.setOption('max_pixels', mostPixels), 'Limiting the size of pictures');
    const opened = this.context.open2Sync(decoder, null);
    if (opened < 0) throw new EarshotError('file_invalid', `The picture cannot be decoded: ${describeCode(opened)}`);
    this.frame.alloc();
  }

  decode(packet: Packet): void {
    this.fed = true;
    let code = this.context.sendPacketSync(packet);
    if (code === AVERROR_EAGAIN) {
      this.receive();
      code = this.context.sendPacketSync(packet);
    }
    if (code < 0) this.damaged += 1;
    this.receive();
  }

  /** Emits the remaining frames and prepares for another position in the file. */
  restart(): void {
    if (!this.fed) return;
    this.fed = false;
    this.context.sendPacketSync(null);
    this.receive();
    this.context.flushBuffers();
  }

  private receive(): void {
    while (this.context.receiveFrameSync(this.frame) >= 0) {
      this.take(this.frame);
      this.frame.unref();
    }
  }

  close(): void {
    this.frame.free();
    this.context.freeContext();
  }
}
