// Speakers of a transcript's words beside the turns that they come from.
import type { Transcript, TranscriptTurn } from '../../src/library/contract/transcript.ts';
import { bestMapping, type NamedTurn } from './diarization-error.ts';

export interface WordLabels {
  /** Words in the middle of which one voice speaks in the reference, and no other. */
  readonly words: number;
  /** Of those, words with a label that is not their speaker's, by the mapping of labels that makes it least. */
  readonly wrong: number;
  /** The same by the turns at the middles of the words, where several overlap each in part. */
  readonly wrongByTurns: number;
}

export function wordLabels(reference: readonly NamedTurn[], { sentences, turns = [] }: Transcript): WordLabels {
  const names = [...new Set(reference.map(({ name }) => name))];
  const labels = [...new Set(turns.map(({ speaker }) => speaker))];
  const none = (): number[][] => names.map(() => labels.map(() => 0));
  const [byWords, byTurns] = [none(), none()];
  let words = 0;
  for (const { startSeconds, endSeconds, speaker } of sentences.flatMap((sentence) => sentence.words)) {
    const middle = (startSeconds + endSeconds) / 2;
    const isThere = (turn: NamedTurn | TranscriptTurn): boolean =>
      turn.startSeconds <= middle && middle < turn.endSeconds;
    const said = new Set(reference.filter(isThere).map(({ name }) => name));
    const [name] = said;
    if (name === undefined || said.size > 1) continue;
    words += 1;
    const add = (table: number[][], label: number, share: number): void => {
      const row = table[names.indexOf(name)] as number[];
      row[labels.indexOf(label)] = (row[labels.indexOf(label)] as number) + share;
    };
    if (speaker !== undefined) add(byWords, speaker, 1);
    const heard = turns.filter(isThere);
    for (const turn of heard) add(byTurns, turn.speaker, 1 / heard.length);
  }
  return { words, wrong: words - bestMapping(byWords), wrongByTurns: words - bestMapping(byTurns) };
}
