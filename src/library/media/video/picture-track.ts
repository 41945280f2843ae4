// Executes a plan packet by packet; the caller decides how far at a time.
import { Packet, type Frame, type Stream } from 'node-av/lib';
import { throwIfAborted } from '../../core/abort.ts';
import { noTimestamp, type OpenedInput, ticksToSeconds } from '../ffmpeg/ffmpeg.ts';
import type { EditClock } from './edit-clock.ts';
import { FrameChooser, type Held } from './frame-chooser.ts';
import { toLengthPrefixed } from './h264.ts';
import { PictureDecoder } from './picture-decoder.ts';
import type { PictureEncoder, EmitPicture } from './picture-encoder.ts';
import { onlyStream, type PictureIndex } from './picture-index.ts';
import type { PictureWriter } from './picture-writer.ts';
import { action, type PicturePlan, type ToSeconds } from './plan.ts';

export interface PictureJob {
  /** At its start; closed by the caller. */
  readonly input: OpenedInput;
  readonly stream: Stream;
  readonly index: PictureIndex;
  readonly plan: PicturePlan;
  readonly clock: EditClock;
  readonly toSeconds: ToSeconds;
  readonly frameSeconds: number;
  readonly gridSeconds: number | null;
  /** Encoded packets must have lengths instead of start codes. */
  readonly lengthPrefixed: boolean;
  readonly decoderThreads: number;
  readonly writer: PictureWriter;
  /** Opens an encoder for a piece. All encoders must have the same headers. */
  openEncoder(emit: EmitPicture): PictureEncoder;
  readonly signal?: AbortSignal | undefined;
  /** Draws on a frame before it is encoded. Default: nothing is drawn. */
  readonly painter?: Painter | undefined;
}

/** Draws on frames in the order of their times. */
export interface Painter {
  /**
   * @param seconds output time of the frame
   * @returns a frame of the painter's own, valid until the next call
   */
  paint(frame: Frame, seconds: number): Frame;
}

export class PictureTrack {
  ended = false;
  /** Number of copied pictures, and of encoded ones. */
  copied = 0;
  encoded = 0;
  private readonly job: PictureJob;
  private readonly packet = new Packet();
  private readonly made = new Packet();
  private readonly decoder: PictureDecoder;
  private readonly chooser: FrameChooser;
  private encoder: PictureEncoder | null = null;
  /** Frames expected from the decoder, by time, and their output. */
  private wanted = new Map<number, { out: number; shownSeconds: number }>();
  /** The previous frame, in case it must be held; only where frames are chosen one by one. */
  private before: Frame | null = null;
  /** Times of the group's copied packets, by packet number. */
  private copyTimes = new Map<number, bigint>();
  private at = 0;

  constructor(job: PictureJob) {
    this.job = job;
    onlyStream(job.input, job.stream.index);
    this.packet.alloc();
    this.made.alloc();
    this.chooser = new FrameChooser(job.clock, job.frameSeconds, job.gridSeconds);
    this.decoder = new PictureDecoder(job.stream, job.decoderThreads, (frame) =>
      job.plan.exact ? this.takeWanted(frame) : this.takeChosen(frame),
    );
  }

  get damaged(): number {
    return this.decoder.damaged;
  }

  /** Continues until pictures up to `seconds` of the output are in progress. */
  advance(seconds: number): void {
    while (!this.ended && this.job.writer.reachedSeconds < seconds) {
      throwIfAborted(this.job.signal);
      this.step();
    }
  }

  private step(): void {
    const { packet, job } = this;
    if (job.input.context.readFrameSync(packet) < 0 || this.at >= job.index.count) {
      packet.unref();
      this.end();
      return;
    }
    if (packet.streamIndex === job.stream.index && packet.size > 0) {
      const todo = job.plan.actions[this.at] as number;
      if ((todo & action.unitStart) !== 0) this.startUnit();
      if ((todo & action.decode) !== 0) this.decoder.decode(packet);
      if ((todo & action.copy) !== 0) this.copy();
      this.at += 1;
    }
    packet.unref();
  }

  private startUnit(): void {
    this.decoder.restart();
    const { plan, index } = this.job;
    if (!plan.exact) return;
    this.wanted.clear();
    let end = this.at + 1;
    while (end < index.count && ((plan.actions[end] as number) & action.unitStart) === 0) end += 1;
    const copies: number[] = [];
    for (let at = this.at; at < end; at += 1) {
      const out = plan.out[at] as number;
      if (Number.isNaN(out)) continue;
      if (((plan.actions[at] as number) & action.copy) !== 0) copies.push(at);
      else this.wanted.set(index.pts[at] as number, { out, shownSeconds: plan.shownSeconds[at] as number });
    }
    if (copies.length === 0) return;
    this.endEncoder();
    copies.sort((a, b) => (index.pts[a] as number) - (index.pts[b] as number));
    this.copyTimes = new Map(copies.map((at) => [at, this.job.writer.announce(plan.out[at] as number)]));
  }

  private copy(): void {
    const { writer, plan, index } = this.job;
    const time = this.copyTimes.get(this.at) as bigint;
    this.copyTimes.delete(this.at);
    writer.write(
      this.packet,
      time,
      writer.ticks(this.shownFor(index.duration[this.at] as number, plan.shownSeconds[this.at] as number)),
    );
    this.copied += 1;
  }

  /** A picture's duration, which its keep's end may cut short. */
  private shownFor(ticks: number, shownSeconds: number): number {
    const { frameSeconds, stream } = this.job;
    const own = ticks > 0 ? (ticks * stream.timeBase.num) / stream.timeBase.den : frameSeconds;
    return shownSeconds > 0 ? Math.min(own, shownSeconds) : own;
  }

  private heldFor(frame: Frame, { shownSeconds }: Held): number {
    return this.shownFor(Number(frame.duration), shownSeconds);
  }

  private takeWanted(frame: Frame): void {
    const time = Number(frame.pts === noTimestamp ? frame.bestEffortTimestamp : frame.pts);
    const wanted = this.wanted.get(time);
    if (!wanted) return;
    this.wanted.delete(time);
    this.encode(frame, wanted.out, this.shownFor(Number(frame.duration), wanted.shownSeconds));
  }

  private takeChosen(frame: Frame): void {
    const { stream, toSeconds } = this.job;
    const ticks = frame.bestEffortTimestamp === noTimestamp ? frame.pts : frame.bestEffortTimestamp;
    if (ticksToSeconds(ticks, stream.timeBase) === null) return;
    const seconds = toSeconds(Number(ticks));
    const choice = this.chooser.next(seconds);
    if (choice.holdPrevious !== null && this.before)
      this.encode(this.before, choice.holdPrevious.out, this.heldFor(this.before, choice.holdPrevious));
    this.before?.free();
    this.before = null;
    if (choice.out !== null)
      this.encode(frame, choice.out, this.shownFor(Number(frame.duration), choice.keepEnd - seconds));
    else this.before = frame.clone();
  }

  private encode(frame: Frame, out: number, seconds: number): void {
    const { writer } = this.job;
    this.encoder ??= this.job.openEncoder((packet, at, duration) => this.emit(packet, at, duration));
    const drawn = this.job.painter?.paint(frame, out) ?? frame;
    this.encoder.encode(drawn, writer.announce(out), writer.ticks(seconds));
  }

  private emit(packet: Packet, at: bigint, duration: bigint): void {
    this.encoded += 1;
    const { writer, lengthPrefixed } = this.job;
    if (!lengthPrefixed) {
      writer.write(packet, at, duration);
      return;
    }
    this.made.data = toLengthPrefixed(packet.data ?? Buffer.alloc(0));
    this.made.isKeyframe = packet.isKeyframe;
    writer.write(this.made, at, duration);
    this.made.unref();
  }

  private endEncoder(): void {
    this.encoder?.finish();
    this.encoder = null;
  }

  private end(): void {
    this.ended = true;
    this.decoder.restart();
    const held = this.job.plan.exact ? null : this.chooser.end().held;
    if (held !== null && this.before) this.encode(this.before, held.out, this.heldFor(this.before, held));
    this.endEncoder();
  }

  close(): void {
    this.encoder?.close();
    this.encoder = null;
    this.before?.free();
    this.before = null;
    this.decoder.close();
    this.packet.free();
    this.made.free();
  }
}
