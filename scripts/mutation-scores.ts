// Mutation scores by room: printed, kept in scripts/mutation-scores.json, and compared with what was kept.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** Faults that tests could have noticed. */
export interface Score {
  readonly noticed: number;
  readonly made: number;
}

const file = new URL('mutation-scores.json', import.meta.url);
const readKept = (): Record<string, Score> =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, Score>) : {};

/**
 * The folder of a source that has a score of its own: "src/library/dsp/denoise", or "src/service/http" for files in it.
 */
export function roomOf(path: string, folder: string): string {
  const [first = '', second] = path.slice(folder.length + 1).split('/');
  return second === undefined ? folder : `${folder}/${first}`;
}

export const percent = ({ noticed, made }: Score): string =>
  made === 0 ? '  none made' : `${((100 * noticed) / made).toFixed(1).padStart(5)} %  ${noticed} of ${made}`;

export function sumOf(scores: Iterable<Score>): Score {
  let [noticed, made] = [0, 0];
  for (const score of scores) {
    noticed += score.noticed;
    made += score.made;
  }
  return { noticed, made };
}

/** Scores of these rooms replace what was kept of them. */
export function keepScores(rooms: ReadonlyMap<string, Score>): void {
  const all = { ...readKept(), ...Object.fromEntries(rooms) };
  const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`);
}

/**
 * Both scores are of a draw, so a fall counts from three standard errors of their difference on (two proportions,
 * pooled): by chance one comparison in 700 falls that far.
 */
export function hasFallen(now: Score, kept: Score): boolean {
  if (now.made === 0 || kept.made === 0) return false;
  const { noticed, made } = sumOf([now, kept]);
  const pooled = noticed / made;
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / now.made + 1 / kept.made));
  return kept.noticed / kept.made - now.noticed / now.made > 3 * error;
}

/** Rooms whose score fell, with both scores; all rooms together are compared, too. */
export function fallen(rooms: ReadonlyMap<string, Score>, kept = readKept()): string[] {
  const known = new Map([...rooms].filter(([room]) => kept[room] !== undefined));
  const pairs: (readonly [string, Score, Score])[] = [...known].map(([room, now]) => [room, now, kept[room] as Score]);
  pairs.push(['all', sumOf(known.values()), sumOf(pairs.map(([, , before]) => before))]);
  return pairs.flatMap(([room, now, before]) =>
    hasFallen(now, before) ? [`${room}: ${percent(now).trim()}; kept: ${percent(before).trim()}`] : [],
  );
}
