// What two threads tell each other, so that the earlier one stops soon after a place where both encodes are the same:
// the first packets of a segment, as numbers. The joint itself rests on the packets.
import type { CodedPacket } from './coded-packet.ts';

/** The first packets of a segment, as far as they have been encoded. */
export interface SegmentHead {
  readonly memory: SharedArrayBuffer;
}

const most = 1024;
/** How many there are, and a state; then for each its time since the segment's start, and its number. */
const [countAt, stateAt, firstWord] = [0, 1, 2];
const words = firstWord + 2 * most;
/** Does a thread write packets now, or are all written that are compared? 0: it has not begun. */
const [writing, written] = [1, 2];

export const makeHead = (): SegmentHead => ({
  memory: new SharedArrayBuffer(words * Int32Array.BYTES_PER_ELEMENT),
});

/** FNV-1a. */
export function numberOf(...parts: readonly Uint8Array[]): number {
  let hash = 0x811c9dc5;
  for (const bytes of parts) for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash | 0;
}

/** Of a packet among others; null: it has none. */
export type PacketNumber = (packets: readonly CodedPacket[], at: number) => number | null;

/**
 * Writes a segment's own head, as its packets come.
 * @param until packets from this time on are not compared
 */
export function headWriter({ memory }: SegmentHead, startPts: number, until: number, number: PacketNumber) {
  const head = new Int32Array(memory);
  Atomics.store(head, stateAt, writing);
  let next = 0;
  return (packets: readonly CodedPacket[]): void => {
    for (; next < packets.length && next < most; next += 1) {
      const { pts } = packets[next] as CodedPacket;
      if (pts >= until) break;
      head[firstWord + 2 * next] = pts - startPts;
      head[firstWord + 2 * next + 1] = number(packets, next) ?? 0;
    }
    Atomics.store(head, countAt, next);
    if (next === most || next < packets.length) Atomics.store(head, stateAt, written);
    Atomics.notify(head, countAt);
  };
}

export interface Comparison {
  /** Packets before this time do not count. */
  readonly from: number;
  readonly number: PacketNumber;
  /** How many in a row have to be the same. */
  readonly run: number;
}

/** Compares packets with the head of the next segment: were enough of them in a row the same there? */
export function headReader({ memory }: SegmentHead, startPts: number, { from, number, run }: Comparison) {
  const head = new Int32Array(memory);
  let own = 0;
  let other = 0;
  let same = 0;
  return (packets: readonly CodedPacket[]): boolean => {
    const known = Atomics.load(head, countAt);
    while (own < packets.length && other < known && same < run) {
      const time = (packets[own] as CodedPacket).pts;
      const pts = time - startPts;
      const there = head[firstWord + 2 * other] as number;
      if (pts === there) {
        same = time >= from && number(packets, own) === head[firstWord + 2 * other + 1] ? same + 1 : 0;
        own += 1;
        other += 1;
      } else {
        same = 0;
        if (pts < there) own += 1;
        else other += 1;
      }
    }
    return same >= run;
  };
}

/** How long a thread waits at a joint for packets that do not come, all waits together, ms. */
const patienceMs = 100;

/**
 * Waits for the thread that encodes the next segment if it has begun and is behind. Without, this thread would encode
 * far beyond the joint only because there is nothing to compare with.
 * @returns waits until the next segment's packets up to a time are written, or until no more are
 */
export function headWaiter({ memory }: SegmentHead, startPts: number): (pts: number) => void {
  const head = new Int32Array(memory);
  let left = patienceMs;
  return (pts) => {
    while (left > 0 && Atomics.load(head, stateAt) === writing) {
      const known = Atomics.load(head, countAt);
      if (known > 0 && startPts + (head[firstWord + 2 * (known - 1)] as number) >= pts) return;
      const started = performance.now();
      if (Atomics.wait(head, countAt, known, left) === 'timed-out') left = 0;
      else left -= performance.now() - started;
    }
  };
}
