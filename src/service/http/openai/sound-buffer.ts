/**
 * Smaller pieces are joined as they come: a client may send its sound byte by byte, and each piece of a list costs
 * memory and time.
 */
const joinedBytes = 4096;

/** Sound that has arrived, by byte positions from the session's first byte on. */
export class SoundBuffer {
  /** Position of the first byte that is kept. */
  from = 0;
  /** Position behind the last one. */
  to = 0;
  private parts: Buffer[] = [];

  get size(): number {
    return this.to - this.from;
  }

  /** What the sound is kept in. */
  get pieces(): number {
    return this.parts.length;
  }

  push(bytes: Buffer): void {
    const last = this.parts.at(-1);
    if (last !== undefined && last.length + bytes.length <= joinedBytes)
      this.parts[this.parts.length - 1] = Buffer.concat([last, bytes]);
    else this.parts.push(bytes);
    this.to += bytes.length;
  }

  /** A copy. */
  take(from: number, to: number): Buffer {
    let at = this.from;
    const taken: Buffer[] = [];
    for (const part of this.parts) {
      taken.push(part.subarray(Math.max(0, from - at), Math.max(0, to - at)));
      at += part.length;
    }
    return Buffer.concat(taken);
  }

  /** Forgets what comes before the position. */
  drop(before: number): void {
    let first = this.parts[0];
    while (first !== undefined && this.from + first.length <= before) {
      this.from += first.length;
      this.parts.shift();
      first = this.parts[0];
    }
    if (first === undefined || before <= this.from) return;
    this.parts[0] = first.subarray(before - this.from);
    this.from = before;
  }
}
