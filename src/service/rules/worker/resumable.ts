// What an attempt has finished of a long job, for the next attempt: kept in memory while it runs, and with the job when
// the worker hands it back.
import type { FinishedPart } from '../../../library/core/progress/finished-parts.ts';

/** Of all parts of a job, as JSON. An hour of speech has 0.8 MB. */
const mostBytes = 8 * 2 ** 20;

/** The parts that a job's attempts have finished. Those that do not fit are done again. */
export class Resumable {
  private readonly parts = new Map<string, FinishedPart>();
  private bytes = 0;

  constructor(earlier: readonly FinishedPart[]) {
    for (const part of earlier) this.add(part);
  }

  readonly add = (part: FinishedPart): void => {
    if (this.parts.has(part.key)) return;
    const bytes = Buffer.byteLength(JSON.stringify(part));
    if (this.bytes + bytes > mostBytes) return;
    this.bytes += bytes;
    this.parts.set(part.key, part);
  };

  get all(): readonly FinishedPart[] {
    return [...this.parts.values()];
  }
}
