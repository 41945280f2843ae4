// Numbers the output's pictures: display times as planned, decoding times strictly ascending.
import { Rational, type FormatContext, type Packet, type Stream } from 'node-av/lib';
import { expectWritten } from '../ffmpeg/ffmpeg.ts';

const compactAfter = 4096;

/**
 * Decoding times follow from display times alone: the n-th packet is decoded when the (n - reorder)-th picture is
 * shown. That rises strictly, is never later than a packet's own time, and holds across copied and encoded pieces.
 */
export class PictureWriter {
  /** Output seconds of the last announced picture. */
  reachedSeconds = 0;
  private readonly context: FormatContext;
  private readonly stream: Stream;
  private readonly reorder: number;
  private readonly base: Rational;
  private readonly step: bigint;
  /** Display times, ascending; `first` is the number of the first one. */
  private shown: bigint[] = [];
  private first = 0;
  private written = 0;

  /**
   * To be called after the header is written, since muxers choose their own clocks.
   * @param frameSeconds usual time between pictures
   */
  constructor(context: FormatContext, stream: Stream, reorder: number, frameSeconds: number) {
    this.context = context;
    this.stream = stream;
    this.reorder = reorder;
    this.base = new Rational(stream.timeBase.num, stream.timeBase.den);
    this.step = BigInt(Math.max(1, Math.round((frameSeconds * this.base.den) / this.base.num)));
  }

  get hasWritten(): boolean {
    return this.written > 0;
  }

  /** Seconds as ticks. */
  ticks(seconds: number): bigint {
    return BigInt(Math.round((seconds * this.base.den) / this.base.num));
  }

  /** Announces the next picture in display order; returns its time in ticks. */
  announce(seconds: number): bigint {
    let at = this.ticks(seconds);
    const last = this.shown.at(-1);
    // A clock as coarse as a millisecond can round two pictures of a fast recording to one time.
    if (last !== undefined && at <= last) at = last + 1n;
    this.shown.push(at);
    this.reachedSeconds = seconds;
    return at;
  }

  /** Writes the next packet in decoding order; its picture must have been announced. The packet is empty afterwards. */
  write(packet: Packet, at: bigint, duration: bigint): void {
    const place = this.written - this.reorder;
    const early =
      place < 0 ? (this.shown[0] as bigint) - BigInt(-place) * this.step : (this.shown[place - this.first] ?? at);
    packet.pts = at;
    packet.dts = early < at ? early : at;
    packet.duration = duration > 0n ? duration : this.step;
    packet.timeBase = this.base;
    packet.streamIndex = this.stream.index;
    packet.pos = -1n;
    this.written += 1;
    expectWritten(this.context.interleavedWriteFrameSync(packet), 'Writing the picture');
    if (place - this.first > compactAfter) {
      this.shown = this.shown.slice(place - this.first);
      this.first = place;
    }
  }
}
