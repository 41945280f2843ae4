import type { Transcript } from '../../../contract/transcript.ts';

/** Do sentences have different speakers? Only then are they named: people without words are counted, too. */
export function hasSeveralSpeakers({ sentences }: Transcript): boolean {
  const first = sentences.find(({ speaker }) => speaker !== null)?.speaker;
  return sentences.some(({ speaker }) => speaker !== null && speaker !== first);
}
