// A copy of a recording in which only labels differ: chapters, tags, the cover.
import { rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { renameFileSync } from '../../core/files/rename-file.ts';
import type { Warning } from '../../core/progress/progress.ts';
import type { MediaFacts } from '../facts.ts';
import { probe } from '../read/probe.ts';
import { attemptsFor, type ChangedTags, copy } from './trim.ts';

/** What a copy is made from: the facts, and the container that it is written into; null: none can be written. */
export function beforeCopying(path: string): { facts: MediaFacts; muxer: string | null } {
  const facts = probe(path);
  return { facts, muxer: attemptsFor(facts)[0]?.muxer ?? null };
}

/** Of everything that changes labels alone. */
export interface CopyingOptions {
  readonly signal: AbortSignal;
  /** Told what of the recording is not in the copy. Default: nothing is. */
  readonly onWarning?: ((warning: Warning) => void) | undefined;
}

/**
 * Copies all packets, with the chapters of `facts`. The target appears when it is complete.
 * @param changed what is in place of the file's own. Default: the file's own
 */
export async function copyChanged(
  target: string,
  facts: MediaFacts,
  { signal, onWarning }: CopyingOptions,
  changed?: ChangedTags,
): Promise<void> {
  const [attempt] = attemptsFor(facts);
  if (attempt === undefined) throw new TypeError(`Expected a kind of file that can be written but got ${facts.format}`);
  const part = join(dirname(target), `.${basename(target)}.${process.pid}.part`);
  try {
    const { warnings } = await copy(facts.path, part, Number.POSITIVE_INFINITY, attempt, facts, signal, changed);
    renameFileSync(part, target);
    for (const warning of warnings) onWarning?.(warning);
  } finally {
    rmSync(part, { force: true });
  }
}
