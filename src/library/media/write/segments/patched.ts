// Encodes a sound again of which only stretches have changed: packets away from them are those of the earlier encode.
import type { Packet } from 'node-av/lib';
import { type CodecSettings, openPacketEncoder, type PacketEncoder } from '../codec/packet-encoder.ts';
import { type CodedPacket, codedPacket, type StoredPackets, readPackets } from './coded-packet.ts';
import { type JointPlace, type PacketTaker, SegmentLine } from './line.ts';
import type { SegmentRules } from './rules.ts';

/** Seconds of the sound. */
export type Stretch = readonly [startSeconds: number, endSeconds: number];

/** What is done again of an encode. */
export interface Changes {
  /** File with the earlier encode's packets. */
  readonly keptIn: string;
  readonly changed: readonly Stretch[];
}

/** A codec's two encodes are the same nowhere before a changed stretch: all has to be encoded. */
export class NoJointError extends Error {
  override readonly name = 'NoJointError';
}

/** Packets around a change that hear it: those that overlap it, and what encoders look ahead. */
const heardPackets = 5;
/** Input per look for a joint, packets. */
const packetsPerLook = 4;

/** One or several changed stretches that are encoded in one go, in frames from the start of the sound. */
interface Patch {
  /** Its sound begins here; 0: with the whole. */
  readonly start: number;
  /** Packets from here on are its own, or from a little later on. */
  readonly takesOver: JointPlace;
  readonly handsBack: JointPlace;
}

/**
 * AAC's rate control is never the same: what it loses for half a second before the change lies 3 dB higher than before
 * with the segments' own, and 1 dB with twice as much.
 */
const prerollOf = ({ preroll, joiner }: SegmentRules): number => (joiner.run === 0 ? 2 : 1) * preroll;

function patchesOf(changed: readonly Stretch[], { sampleRate }: CodecSettings, rules: SegmentRules): Patch[] {
  const { packet, grid, overlap } = rules;
  const preroll = prerollOf(rules);
  const heard = heardPackets * packet;
  const patches: Patch[] = [];
  for (const [startSeconds, endSeconds] of changed.toSorted((a, b) => a[0] - b[0])) {
    const until = startSeconds * sampleRate - heard;
    const start = Math.max(0, Math.floor((until - overlap - preroll) / grid) * grid);
    const from = start + preroll;
    const handsBack = { from: Math.ceil(endSeconds * sampleRate) + heard, search: Number.POSITIVE_INFINITY };
    const before = patches.at(-1);
    if (before && start <= before.handsBack.from) patches[patches.length - 1] = { ...before, handsBack };
    else patches.push({ start, takesOver: { from, search: until - from }, handsBack });
  }
  return patches;
}

/**
 * The earlier encode, a patch and so on in turn, joined as segments are. Works in this thread, since patches are short.
 */
export class Patched {
  private readonly settings: CodecSettings;
  private readonly rules: SegmentRules;
  private readonly startFrame: number;
  private readonly line: SegmentLine;
  private readonly kept: StoredPackets;
  private readonly patches: Patch[];
  /** Of kept packets: the next one, and those that may be looked at once more. */
  private next: CodedPacket | null;
  private recent: CodedPacket[] = [];
  /** Does the line go on with the patch? Before its first joint, and after its last one, with kept packets. */
  private isPatch = false;
  private encoder: PacketEncoder | null = null;
  private position = 0;

  /** @param startFrame time of the first sample */
  constructor(
    settings: CodecSettings,
    rules: SegmentRules,
    startFrame: number,
    { keptIn, changed }: Changes,
    taker: PacketTaker,
  ) {
    this.settings = settings;
    this.rules = rules;
    this.startFrame = startFrame;
    this.patches = patchesOf(changed, settings, rules);
    const places = this.patches.flatMap(({ start, takesOver, handsBack }) =>
      start === 0 ? [handsBack] : [takesOver, handsBack],
    );
    this.line = new SegmentLine(rules, startFrame, taker, (number) => places[number - 1] ?? null);
    this.kept = readPackets(keptIn);
    this.next = this.kept.next();
    if (this.patches[0]?.start === 0) {
      this.encoder = this.open();
      this.isPatch = true;
    }
  }

  private open(): PacketEncoder {
    return openPacketEncoder(this.settings, this.startFrame + this.position, (packet: Packet) => {
      const own = [codedPacket(packet)];
      if (this.isPatch) this.line.takeEarlier(own);
      else this.line.takeLater(own);
    });
  }

  write(planes: readonly Float32Array[], frames: number): void {
    for (let at = 0; at < frames;) {
      const step = Math.min(frames - at, this.untilStop());
      this.encoder?.write(
        planes.map((plane) => plane.subarray(at, at + step)),
        step,
      );
      at += step;
      this.position += step;
      this.stop();
    }
  }

  private untilStop(): number {
    const start = this.patches[this.isPatch ? 1 : 0]?.start ?? Number.POSITIVE_INFINITY;
    const look = this.encoder ? packetsPerLook * this.rules.packet : Number.POSITIVE_INFINITY;
    return this.position < start ? Math.min(look, start - this.position) : look;
  }

  private stop(): void {
    const [patch, after] = this.patches;
    if (this.isPatch && after && this.position >= after.start) this.goOn();
    this.readKept(this.startFrame + this.position);
    if (!patch) return;
    if (!this.encoder) {
      if (this.position >= patch.start) this.encoder = this.open();
      return;
    }
    this.look();
  }

  /** The patch has found no place to end before the next one begins: it is that one, too. */
  private goOn(): void {
    this.patches.shift();
    this.line.giveUp();
    this.line.giveUp();
    this.recent = [];
  }

  private look(): void {
    const [patch] = this.patches as [Patch];
    const { from } = this.isPatch ? patch.handsBack : patch.takesOver;
    if (this.position < from) return;
    const joint = this.line.look();
    if (joint === 'none') throw new NoJointError('No packets are the same in both encodes');
    if (joint === 'open') return;
    if (this.isPatch) this.closeEncoder();
    this.isPatch = !this.isPatch;
    if (this.isPatch) this.line.takeLater(this.recent.filter(({ pts }) => pts >= this.laterFrom));
    else this.patches.shift();
  }

  private closeEncoder(): void {
    this.encoder?.close();
    this.encoder = null;
  }

  /** Kept packets from this time on are what a patch is compared with at its end. */
  private get laterFrom(): number {
    const end = this.patches[0]?.handsBack.from ?? 0;
    return this.startFrame + end - this.rules.held;
  }

  /** Up to a time. */
  private readKept(until: number): void {
    const read: CodedPacket[] = [];
    for (; this.next && this.next.pts <= until; this.next = this.kept.next()) read.push(this.next);
    if (this.isPatch) this.line.takeLater(read.filter(({ pts }) => pts >= this.laterFrom));
    else {
      this.line.takeEarlier(read);
      this.recent = [...this.recent, ...read].filter(({ pts }) => pts >= until - 2 * this.rules.held);
    }
  }

  finish(): void {
    this.encoder?.finish();
    this.readKept(Number.POSITIVE_INFINITY);
    if (this.encoder) {
      const joint = this.line.look();
      if (joint !== 'joined' && !this.isPatch)
        throw new NoJointError('The sound ends before both encodes are the same');
    }
    this.line.end();
  }

  close(): void {
    this.closeEncoder();
    this.kept.close();
  }
}
