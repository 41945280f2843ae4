// Subtitles, cover art and attachments of an edited video: moved with the map, shortened or dropped.
import { Packet, type FormatContext, type Stream } from 'node-av/lib';
import { AVDISCARD_ALL, AVMEDIA_TYPE_ATTACHMENT, AVMEDIA_TYPE_SUBTITLE } from 'node-av/constants';
import type { TimeRange } from '../../core/time-range.ts';
import { expectWritten, isCoverStream, type OpenedInput } from '../ffmpeg/ffmpeg.ts';
import { noTimestamp, ticksToSeconds } from '../ffmpeg/ticks.ts';
import { codecName } from './picture-index.ts';
import type { VideoContainer } from '../formats.ts';
import { addCopiedStream } from '../write/copied-stream.ts';
import { isCopiedCover } from '../write/remux.ts';
import type { EditClock } from './edit-clock.ts';

interface Moved {
  readonly from: Stream;
  readonly to: Stream;
  readonly cover: boolean;
  lastTicks: bigint;
}

/** Everything that is copied besides picture and sound. */
export const travels = (stream: Stream, container: VideoContainer): boolean =>
  isCopiedCover(stream, container) ||
  stream.codecpar.codecType === AVMEDIA_TYPE_SUBTITLE ||
  stream.codecpar.codecType === AVMEDIA_TYPE_ATTACHMENT;

/** MP4 text: a packet of this size means that nothing is shown; the muxer writes its own. */
const emptyCueBytes = 2;

/**
 * Does a cue stay?
 * @param text its packet as text; '': it is a picture
 */
export type KeepsCue = (range: TimeRange, text: string) => boolean;

const textCodecs = new Set(['subrip', 'srt', 'ass', 'ssa', 'webvtt', 'text', 'mov_text', 'ttml']);

export class OtherStreams {
  private readonly input: OpenedInput;
  private readonly output: FormatContext;
  private readonly clock: EditClock;
  private readonly zeroSeconds: number;
  private readonly keepsCue: KeepsCue | undefined;
  private readonly streams = new Map<number, Moved>();
  private readonly packet = new Packet();
  private held = false;
  private ended = false;

  /** @param zeroSeconds the keeps' zero on the timestamps' own clock */
  constructor(
    input: OpenedInput,
    output: FormatContext,
    container: VideoContainer,
    sameContainer: boolean,
    clock: EditClock,
    zeroSeconds: number,
    keepsCue?: KeepsCue,
  ) {
    this.input = input;
    this.output = output;
    this.clock = clock;
    this.zeroSeconds = zeroSeconds;
    this.keepsCue = keepsCue;
    this.packet.alloc();
    for (const from of input.streams) {
      if (travels(from, container))
        this.streams.set(from.index, {
          from,
          to: addCopiedStream(from, output, sameContainer),
          cover: isCoverStream(from),
          lastTicks: noTimestamp,
        });
      else from.discard = AVDISCARD_ALL;
    }
    this.ended = this.streams.size === 0;
  }

  /** Writes everything shown before `seconds` of the output. */
  advance(seconds: number): void {
    while (!this.ended) {
      if (!this.held) {
        if (this.input.read(this.packet) < 0) {
          this.ended = true;
          return;
        }
        this.held = true;
      }
      const moved = this.streams.get(this.packet.streamIndex);
      if (moved?.cover) this.writeCover(moved);
      else if (moved && !this.writeCue(moved, seconds)) return;
      this.packet.unref();
      this.held = false;
    }
  }

  private writeCover(moved: Moved): void {
    if (moved.lastTicks !== noTimestamp) return;
    moved.lastTicks = 0n;
    this.packet.pts = 0n;
    this.packet.dts = 0n;
    this.write(moved);
  }

  /** false: the cue is after `until`. */
  private writeCue(moved: Moved, until: number): boolean {
    const { packet, clock } = this;
    const { from, to } = moved;
    if (codecName(from) === 'mov_text' && packet.size <= emptyCueBytes) return true;
    const shown = ticksToSeconds(packet.pts === noTimestamp ? packet.dts : packet.pts, from.timeBase);
    if (shown === null) return true;
    const start = shown - this.zeroSeconds;
    const length = Number(packet.duration) * (from.timeBase.num / from.timeBase.den);
    if (this.keepsCue && !this.keepsCue({ startSeconds: start, endSeconds: start + length }, this.textOf(from)))
      return true;
    // Picture subtitles have no length: each lasts until the next. Those of a removed stretch collect at the seam, so
    // that the one shown there is the one at the next keep's start.
    const stretch =
      length > 0
        ? clock.mapStretch(start, start + length)
        : { startSeconds: clock.toOutput(start), endSeconds: clock.toOutput(start) };
    if (!stretch) return true;
    if (stretch.startSeconds > until) return false;
    const ticks = (seconds: number): bigint => BigInt(Math.round((seconds * to.timeBase.den) / to.timeBase.num));
    let at = ticks(stretch.startSeconds);
    if (moved.lastTicks !== noTimestamp && at <= moved.lastTicks && length <= 0) at = moved.lastTicks + 1n;
    if (moved.lastTicks !== noTimestamp && at < moved.lastTicks) at = moved.lastTicks;
    moved.lastTicks = at;
    packet.pts = at;
    packet.dts = at;
    packet.duration = length > 0 ? ticks(stretch.endSeconds) - at : 0n;
    this.write(moved);
    return true;
  }

  private textOf(from: Stream): string {
    const codec = codecName(from);
    const { data } = this.packet;
    if (data === null || !textCodecs.has(codec)) return '';
    if (codec !== 'mov_text') return data.toString('utf8');
    // Its length comes first, and behind the text are boxes of style.
    return data.subarray(2, 2 + data.readUInt16BE(0)).toString('utf8');
  }

  private write(moved: Moved): void {
    this.packet.streamIndex = moved.to.index;
    this.packet.timeBase = moved.to.timeBase;
    this.packet.pos = -1n;
    expectWritten(this.output.interleavedWriteFrameSync(this.packet), 'Copying subtitles');
  }

  close(): void {
    this.packet.free();
    this.input.close();
  }
}
