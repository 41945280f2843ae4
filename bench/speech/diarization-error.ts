// Diarization error rate, by NIST's definition (Rich Transcription evaluation plan, md-eval): missed speech, false
// alarms and confusion over the speech of the reference, with the mapping of speakers that makes the error least. A
// collar around every boundary of the reference does not count; overlapping speech does.

/** One speaker's stretch; any name. Seconds. */
export interface NamedTurn {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly name: string;
}

export interface DiarizationError {
  /** (missed + falseAlarm + confusion) / speech; 0 without any speech and error, infinite with errors only. */
  readonly rate: number;
  /** Seconds, of every speaker, so that overlaps count twice. */
  readonly speechSeconds: number;
  readonly missedSeconds: number;
  readonly falseAlarmSeconds: number;
  readonly confusionSeconds: number;
}

/** Greatest sum of one entry per row and column at most. */
export function bestMapping(table: readonly (readonly number[])[]): number {
  const columns = table[0]?.length ?? 0;
  const best = new Map<number, number>([[0, 0]]);
  for (const row of table) {
    for (const [taken, sum] of new Map(best)) {
      for (let column = 0; column < columns; column += 1) {
        if ((taken & (1 << column)) !== 0) continue;
        const next = taken | (1 << column);
        best.set(next, Math.max(best.get(next) ?? 0, sum + (row[column] as number)));
      }
    }
  }
  return Math.max(...best.values());
}

const namesOf = (turns: readonly NamedTurn[]): string[] => [...new Set(turns.map(({ name }) => name))];

/**
 * @param collarSeconds so much before and after every boundary of the reference does not count
 */
export function diarizationError(
  reference: readonly NamedTurn[],
  found: readonly NamedTurn[],
  collarSeconds: number,
): DiarizationError {
  const edges = reference.flatMap(({ startSeconds, endSeconds }) => [startSeconds, endSeconds]);
  const [ours, theirs] = [namesOf(reference), namesOf(found)];
  const times = [
    ...new Set([
      ...edges.flatMap((edge) => [edge - collarSeconds, edge, edge + collarSeconds]),
      ...found.flatMap(({ startSeconds, endSeconds }) => [startSeconds, endSeconds]),
    ]),
  ].toSorted((a, b) => a - b);
  const speakingAt = (turns: readonly NamedTurn[], at: number): string[] =>
    namesOf(turns.filter(({ startSeconds, endSeconds }) => startSeconds <= at && at < endSeconds));
  const together = ours.map(() => theirs.map(() => 0));
  let [speech, missed, falseAlarm, matchable] = [0, 0, 0, 0];
  for (const [index, start] of times.entries()) {
    const end = times[index + 1];
    if (end === undefined) break;
    const middle = (start + end) / 2;
    if (edges.some((edge) => Math.abs(middle - edge) < collarSeconds)) continue;
    const [said, heard] = [speakingAt(reference, middle), speakingAt(found, middle)];
    const seconds = end - start;
    speech += seconds * said.length;
    missed += seconds * Math.max(0, said.length - heard.length);
    falseAlarm += seconds * Math.max(0, heard.length - said.length);
    matchable += seconds * Math.min(said.length, heard.length);
    for (const one of said)
      for (const other of heard) {
        const row = together[ours.indexOf(one)] as number[];
        row[theirs.indexOf(other)] = (row[theirs.indexOf(other)] as number) + seconds;
      }
  }
  const confusion = matchable - bestMapping(together);
  const wrong = missed + falseAlarm + confusion;
  return {
    rate: speech > 0 ? wrong / speech : wrong > 0 ? Number.POSITIVE_INFINITY : 0,
    speechSeconds: speech,
    missedSeconds: missed,
    falseAlarmSeconds: falseAlarm,
    confusionSeconds: confusion,
  };
}
