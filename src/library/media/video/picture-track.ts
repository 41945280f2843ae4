// Executes a plan packet by packet; the caller decides how far at a time.
import { Packet, type Frame, type Stream } from 'node-av/lib';
import { throwIfAborted } from '../../core/abort.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import { type OpenedInput } from '../ffmpeg/ffmpeg.ts';
import { noTimestamp, ticksToSeconds } from '../ffmpeg/ticks.ts';
import type { Approach } from './approach.ts';
import type { EditClock } from './edit-clock.ts';
import { FrameChooser, type Held } from './frame-chooser.ts';
import { PictureDecoder } from './picture-decoder.ts';
import type { PictureEncoder, EmitPicture } from './picture-encoder.ts';
import { onlyStream, type PictureIndex } from './picture-index.ts';
import type { PictureWriter } from './picture-writer.ts';
import { action, type PicturePlan, type ToSeconds } from './plan.ts';
import type { Splicer } from './splicer.ts';

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
  /** Splicer of the output stream; null when it has only copied or only encoded packets. */
  readonly splicer: Splicer | null;
  /** Rewrites an encoder's packet for the stream; null: not needed. */
  readonly made: Approach['made'];
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
  /** Where the next picture is if it has no time of its own; null before the first one; only where they are chosen. */
  private nextSeconds: number | null = null;
  /** Times of the group's copied packets, by packet number. */
  private copyTimes = new Map<number, bigint>();
  /** The packet that waits for the pictures shown before it, and its number. */
  private waiting: { readonly packet: Packet; readonly at: number } | null = null;
  /** Side data of pictures that will be encoded: by source time, then by output time. */
  private readonly carried = new Map<number, readonly Buffer[]>();
  private readonly carriedTo = new Map<bigint, readonly Buffer[]>();
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
    if (job.input.read(packet) < 0 || this.at >= job.index.count) {
      packet.unref();
      this.end();
      return;
    }
    if (packet.streamIndex === job.stream.index && packet.size > 0) {
      const todo = job.plan.actions[this.at] as number;
      if (this.waiting && (todo & action.leading) === 0) this.takeWaiting();
      if ((todo & action.wait) !== 0) this.wait();
      else this.take(packet, this.at);
      this.at += 1;
    }
    packet.unref();
  }

  private take(packet: Packet, at: number): void {
    const todo = this.job.plan.actions[at] as number;
    if ((todo & action.unitStart) !== 0) this.startUnit(at);
    if ((todo & action.decode) !== 0) this.decode(packet, at);
    if ((todo & action.copy) !== 0) this.copy(packet, at);
  }

  private decode(packet: Packet, at: number): void {
    const { splicer, index, plan } = this.job;
    // The packet may lack a time that the index knows.
    if (plan.exact && packet.pts === noTimestamp) packet.pts = BigInt(index.pts[at] as number);
    if (splicer && plan.exact && !Number.isNaN(plan.out[at])) {
      const carried = splicer.carry(packet.data ?? Buffer.alloc(0));
      if (carried.length > 0) this.carried.set(index.pts[at] as number, carried);
    }
    this.decoder.decode(packet);
  }

  /** Decodes a packet for the pictures after it that are shown before it; it is itself written after them. */
  private wait(): void {
    const packet = this.packet.clone();
    if (!packet) throw new EarshotError('internal_error', 'Keeping a packet failed');
    const { plan, index } = this.job;
    this.waiting = { packet, at: this.at };
    for (let at = this.at + 1; at < index.count && ((plan.actions[at] as number) & action.leading) !== 0; at += 1)
      this.want(at);
    this.decode(this.packet, this.at);
  }

  private takeWaiting(): void {
    const { waiting } = this;
    if (!waiting) return;
    this.waiting = null;
    try {
      this.take(waiting.packet, waiting.at);
    } finally {
      waiting.packet.free();
    }
  }

  private want(at: number): void {
    const { plan, index } = this.job;
    const out = plan.out[at] as number;
    if (!Number.isNaN(out))
      this.wanted.set(index.pts[at] as number, { out, shownSeconds: plan.shownSeconds[at] as number });
  }

  private startUnit(from: number): void {
    this.decoder.restart();
    const { plan, index } = this.job;
    if (!plan.exact) return;
    this.wanted.clear();
    this.carried.clear();
    const copies: number[] = [];
    for (let at = from; at < index.count; at += 1) {
      const todo = plan.actions[at] as number;
      if (at > from && (todo & action.unitStart) !== 0) break;
      if ((todo & action.leading) !== 0) continue;
      if ((todo & action.copy) === 0) this.want(at);
      else copies.push(at);
    }
    if (copies.length === 0) return;
    this.endEncoder();
    copies.sort((a, b) => (index.pts[a] as number) - (index.pts[b] as number));
    this.copyTimes = new Map(copies.map((at) => [at, this.job.writer.announce(plan.out[at] as number)]));
  }

  private copy(packet: Packet, at: number): void {
    const { writer, plan, index } = this.job;
    const time = this.copyTimes.get(at) as bigint;
    this.copyTimes.delete(at);
    const duration = writer.ticks(this.shownFor(index.duration[at] as number, plan.shownSeconds[at] as number));
    const anew =
      ((plan.actions[at] as number) & action.restart) === 0
        ? null
        : index.splicer?.restarted(packet.data ?? Buffer.alloc(0), writer.hasWritten);
    if (anew) {
      this.made.data = anew;
      this.made.isKeyframe = packet.isKeyframe;
      writer.write(this.made, time, duration);
      this.made.unref();
    } else {
      writer.write(packet, time, duration);
    }
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
    const carried = this.carried.get(time);
    this.carried.delete(time);
    this.encode(frame, wanted.out, this.shownFor(Number(frame.duration), wanted.shownSeconds), carried);
  }

  private takeChosen(frame: Frame): void {
    const { frameSeconds, stream, toSeconds } = this.job;
    const ticks = frame.bestEffortTimestamp === noTimestamp ? frame.pts : frame.bestEffortTimestamp;
    const isTimed = ticksToSeconds(ticks, stream.timeBase) !== null;
    // AVI has times of packets only: the last pictures come out late, and have none.
    const seconds = isTimed ? toSeconds(Number(ticks)) : this.nextSeconds;
    if (seconds === null) return;
    this.nextSeconds = seconds + frameSeconds;
    const choice = this.chooser.next(seconds);
    if (choice.holdPrevious !== null && this.before)
      this.encode(this.before, choice.holdPrevious.out, this.heldFor(this.before, choice.holdPrevious));
    this.before?.free();
    this.before = null;
    if (choice.out !== null)
      this.encode(frame, choice.out, this.shownFor(Number(frame.duration), choice.keepEnd - seconds));
    else this.before = frame.clone();
  }

  private encode(frame: Frame, out: number, seconds: number, carried?: readonly Buffer[]): void {
    const { writer } = this.job;
    this.encoder ??= this.job.openEncoder((packet, at, duration) => this.emit(packet, at, duration));
    const drawn = this.job.painter?.paint(frame, out) ?? frame;
    const at = writer.announce(out);
    if (carried) this.carriedTo.set(at, carried);
    this.encoder.encode(drawn, at, writer.ticks(seconds));
  }

  private emit(packet: Packet, at: bigint, duration: bigint): void {
    this.encoded += 1;
    const { writer, made } = this.job;
    if (!made) {
      writer.write(packet, at, duration);
      return;
    }
    const carried = this.carriedTo.get(at) ?? [];
    this.carriedTo.delete(at);
    this.made.data = made(packet.data ?? Buffer.alloc(0), packet.isKeyframe, carried);
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
    this.takeWaiting();
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
    this.waiting?.packet.free();
    this.waiting = null;
    this.decoder.close();
    this.packet.free();
    this.made.free();
  }
}
