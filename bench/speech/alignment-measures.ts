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

const lineTolerances = [0.1, 0.12];

const plain = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}']/gu, '');

/**
 * For each word of a script the matching word of a transcript, the same in the same order (longest common
 * subsequence); what was heard otherwise counts as not matched.
 */
export function wordsOfTranscript(
  script: readonly KnownWord[],
  transcript: readonly { readonly text: string; readonly startSeconds: number; readonly endSeconds: number }[],
): FoundWord[] {
  const [wanted, heard] = [script.map(({ text }) => plain(text)), transcript.map(({ text }) => plain(text))];
  const width = heard.length + 1;
  const longest = new Uint16Array((wanted.length + 1) * width);
  for (let i = wanted.length - 1; i >= 0; i -= 1)
    for (let j = heard.length - 1; j >= 0; j -= 1)
      longest[i * width + j] =
        wanted[i] === heard[j]
          ? (longest[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(longest[(i + 1) * width + j] ?? 0, longest[i * width + j + 1] ?? 0);
  let at = 0;
  return script.map((_, i) => {
    const here = longest[i * width + at] ?? 0;
    // The script's word has a pair if without it fewer words have one.
    while (wanted[i] !== heard[at] && at < heard.length && longest[i * width + at + 1] === here) at += 1;
    const word = transcript[at];
    if (!word || wanted[i] !== heard[at] || (longest[(i + 1) * width + at + 1] ?? 0) + 1 !== here)
      return { startSeconds: 0, endSeconds: 0, matched: false };
    at += 1;
    return { startSeconds: word.startSeconds, endSeconds: word.endSeconds, matched: true };
  });
}

/** How found words lie to known ones. Seconds. */
export interface Judgement {
  /** Of starts and ends, ascending. */
  readonly errors: readonly number[];
  /** Of first words of lines. */
  readonly lines: readonly number[];
  readonly said: number;
  readonly unsaid: number;
  /** Words that were said and found. */
  readonly rightly: number;
  /** Words that were not said and yet found. */
  readonly wrongly: number;
}

export function judgement(script: readonly KnownWord[], found: readonly FoundWord[]): Judgement {
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
  return { errors, lines, said, unsaid, rightly, wrongly };
}

/** One line of a table: errors of edges, lines, and what was said to be spoken. */
export function judged(script: readonly KnownWord[], found: readonly FoundWord[]): string {
  const { errors, lines, said, unsaid, rightly, wrongly } = judgement(script, found);
  const at = (share: number): number => Math.round(1000 * (errors[Math.floor(share * errors.length)] ?? NaN));
  const within = (seconds: number): number =>
    Math.round((100 * errors.filter((error) => error <= seconds + 1e-9).length) / errors.length);
  const parts = [
    ...(errors.length > 0
      ? [`${at(0.5)}/${at(0.9)}/${at(0.95)} ms, ${within(0.05)}/${within(0.1)}/${within(0.2)} %`]
      : []),
    ...lineTolerances.flatMap((tolerance) =>
      lines.length > 0
        ? [
            `lines within ${1000 * tolerance} ms ` +
              `${lines.filter((error) => error <= tolerance + 1e-9).length} of ${lines.length}`,
          ]
        : [],
    ),
    `precision ${(rightly / (rightly + wrongly)).toFixed(3)}, recall ${(rightly / said).toFixed(3)}`,
    ...(unsaid > 0 ? [`${unsaid - wrongly} of ${unsaid} unspoken words found`] : []),
  ];
  return parts.join('; ');
}
