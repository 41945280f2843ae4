// Reads the packets of a file on its one clock, by what is known of its container.
import type { FormatContext, Packet } from 'node-av/lib';
import { hasOneRate } from './adts-rates.ts';
import { emptyPiecesOf } from './avi-clock.ts';
import { clockOf, type OneClock } from './clock-breaks.ts';
import { type Lost, Mp3Clock } from './mp3-holes.ts';
import { OggClock } from './ogg-clock.ts';
import { isWholeOgg, nextOggLink } from './ogg-pages.ts';

/** `Input`: an opened file, as `openInput` answers it. */
export interface PacketReader<Input> {
  /**
   * The next packet, on the file's one clock.
   * @returns FFmpeg's code, below 0 at the end
   */
  read(packet: Packet): number;
  /** Is sound missing before the packet that was read last, in a file whose times alone do not say so? */
  lostBefore(): Lost;
  /**
   * Opens the next stream of a chained Ogg, where FFmpeg stops since its form is another; null: none follows.
   * The caller closes it.
   * @throws EarshotError as `openInput`
   */
  nextLink(): Input | null;
  /** Does another stream of a chain begin with the packet that was read last, whose sound has nothing before it? */
  beginsLink(): boolean;
  /**
   * Is a time found by a search? Not where the file is several recordings, one behind the other, changes its rate, or
   * has holes.
   */
  isSearchable(): boolean;
  close(): void;
}

interface Source<Input> {
  readonly path: string;
  readonly head: Buffer;
  /** See `openInput`. */
  readonly fromByte: number;
  /** Another context of the file. */
  reopen(): FormatContext;
  openAt(fromByte: number): Input;
}

export function readerOf<Input>(context: FormatContext, source: Source<Input>): PacketReader<Input> {
  const name = context.iformat?.name ?? '';
  if (name === 'ogg') return oggReader(context, source);
  if (name === 'avi') return aviReader(context, source);
  if (name === 'aac') return adtsReader(context, source);
  return name === 'mp3' ? mp3Reader(context, source) : clockReader(context, source);
}

function oggReader<Input>(context: FormatContext, { path, fromByte, openAt }: Source<Input>): PacketReader<Input> {
  const pages = new OggClock(context, path, fromByte);
  let position = 0;
  return {
    read(packet) {
      const code = pages.read(packet);
      if (code >= 0 && packet.pos >= 0n) position = Number(packet.pos);
      return code;
    },
    lostBefore: () => (pages.losesFirst ? 'known' : null),
    beginsLink: () => pages.beginsLink,
    nextLink() {
      const next = nextOggLink(path, fromByte + position);
      return next === null ? null : openAt(next);
    },
    isSearchable: () => isWholeOgg(path),
    close() {
      pages.close();
      context.closeInputSync();
    },
  };
}

function mp3Reader<Input>(context: FormatContext, { path }: Source<Input>): PacketReader<Input> {
  let frames: Mp3Clock | null = null;
  const opened = (): Mp3Clock => (frames ??= new Mp3Clock(path, context.streams));
  return {
    read(packet) {
      for (;;) {
        const code = context.readFrameSync(packet);
        if (code < 0 || (frames ?? opened()).place(packet)) return code;
        packet.unref();
      }
    },
    lostBefore: () => frames?.lost ?? null,
    beginsLink: () => false,
    nextLink: () => null,
    isSearchable: () => !opened().isNeeded,
    close: () => context.closeInputSync(),
  };
}

function aviReader<Input>(context: FormatContext, source: Source<Input>): PacketReader<Input> {
  const isBehindEmpty = emptyPiecesOf(source.head);
  const reader = clockReader(context, source);
  let lost = false;
  return {
    ...reader,
    read(packet) {
      const code = reader.read(packet);
      lost = code >= 0 && isBehindEmpty(packet);
      return code;
    },
    lostBefore: () => (lost ? 'known' : null),
  };
}

function adtsReader<Input>(context: FormatContext, source: Source<Input>): PacketReader<Input> {
  return {
    ...clockReader(context, source),
    isSearchable: () => hasOneRate(source.path),
  };
}

function clockReader<Input>(context: FormatContext, { path, reopen }: Source<Input>): PacketReader<Input> {
  let clock: OneClock | null = null;
  const later = (): OneClock => (clock ??= clockOf(path, context, reopen));
  return {
    read(packet) {
      const code = context.readFrameSync(packet);
      if (code >= 0) (clock ?? later()).place(packet, context.streams);
      return code;
    },
    lostBefore: () => null,
    beginsLink: () => false,
    nextLink: () => null,
    isSearchable: () => !later().isNeeded,
    close: () => context.closeInputSync(),
  };
}
