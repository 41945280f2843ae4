// Copies a recording packet by packet.
import { rmSync } from 'node:fs';
import { isAbortError } from '../../core/abort.ts';
import type { Warning } from '../../core/progress/progress.ts';
import type { MediaFacts } from '../facts.ts';
import { videoContainers } from '../formats.ts';
import type { OutputPlan } from './output.ts';
import { attemptsFor, copy } from './trim.ts';

/** Does the plan keep the source's format? */
const keepsKind = (facts: MediaFacts, { kind, format }: OutputPlan): boolean =>
  kind === 'video' ? videoContainers[facts.format]?.extension === format : facts.format === format;

/**
 * Copies all packets into a new file, with tags and chapters: nothing is decoded or encoded.
 * @returns its warnings; null where that cannot be done: the plan names another kind of file, or the copy failed; no
 *   file is left then
 * @throws EarshotError as `probe`; AbortError
 */
export async function copyWhole(
  facts: MediaFacts,
  plan: OutputPlan,
  target: string,
  signal: AbortSignal,
): Promise<readonly Warning[] | null> {
  const [attempt] = attemptsFor(facts);
  if (!attempt || !keepsKind(facts, plan)) return null;
  try {
    return (await copy(facts.path, target, Number.POSITIVE_INFINITY, attempt, facts, signal)).warnings;
  } catch (error) {
    rmSync(target, { force: true });
    if (isAbortError(error)) throw error;
    return null;
  }
}
