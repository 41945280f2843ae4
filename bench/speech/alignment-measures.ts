export interface KnownWord {
  readonly text: string;
  readonly said: boolean;
  /** Where people gave them. */
  readonly startSeconds?: number;
  readonly endSeconds?: number;
  /** Of the first word of a line whose begin is known. */
  readonly lineStartSeconds?: number;
}

export interface FoundWord {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly matched: boolean;
}

const lineTolerance = 0.12;

/** One line of a table: errors of edges, lines, and what was said to be spoken. */
export function judged(script: readonly KnownWord[], found: readonly FoundWord[]): string {
  const errors: number[] = [];
  const lines: number[] = [];
  let [said, unsaid, rightly, wrongly] = [0, 0, 0, 0];
  for (const [index, word] of script.entries()) {
    const own = found[index] as FoundWord;
    if (word.said) said += 1;
    else unsaid += 1;
    if (own.matched && word.said) rightly += 1;
    if (own.matched && !word.said) wrongly += 1;
    if (!own.matched) continue;
    if (word.startSeconds !== undefined) errors.push(Math.abs(own.startSeconds - word.startSeconds));
    if (word.endSeconds !== undefined) errors.push(Math.abs(own.endSeconds - word.endSeconds));
    if (word.lineStartSeconds !== undefined) lines.push(Math.abs(own.startSeconds - word.lineStartSeconds));
  }
  errors.sort((a, b) => a - b);
  const at = (share: number): number => Math.round(1000 * (errors[Math.floor(share * errors.length)] ?? NaN));
  const within = (seconds: number): number =>
    Math.round((100 * errors.filter((error) => error <= seconds + 1e-9).length) / errors.length);
  const parts = [
    ...(errors.length > 0
      ? [`${at(0.5)}/${at(0.9)}/${at(0.95)} ms, ${within(0.05)}/${within(0.1)}/${within(0.2)} %`]
      : []),
    ...(lines.length > 0 ? [`lines ${lines.filter((error) => error <= lineTolerance).length} of ${lines.length}`] : []),
    `precision ${(rightly / (rightly + wrongly)).toFixed(3)}, recall ${(rightly / said).toFixed(3)}`,
    ...(unsaid > 0 ? [`${unsaid - wrongly} of ${unsaid} unspoken words found`] : []),
  ];
  return parts.join('; ');
}
