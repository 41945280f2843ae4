// What one-process.ts has tried so far, as a page that is kept: counts by kind and by end, and what must not happen.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One damaged file: its number, what it was made of, how long it took, and what came of each work: "check ok". */
interface Tried {
  readonly number: number;
  readonly kind: string;
  readonly milliseconds: number;
  readonly said: readonly string[];
}

/** What must not be said of a file: that something is wrong with us. */
const isFault = (said: string): boolean => /^\w+ (internal_error|not an EarshotError)/.test(said);

const linesOf = (folder: string, name: RegExp): string[] =>
  readdirSync(folder)
    .filter((file) => name.test(file))
    .sort()
    .flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'))
    .filter((line) => line !== '');

function triedIn(folder: string): Tried[] {
  const lines = linesOf(folder, /^lane-\d+\.tsv$/).map((line) => {
    const [number, kind = '', milliseconds, ...said] = line.split('\t');
    return { number: Number(number), kind, milliseconds: Number(milliseconds), said };
  });
  // What is tried again counts as it ended then.
  return [...new Map(lines.map((line) => [line.number, line])).values()];
}

function countsOf(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return new Map([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const count = (number: number): string => number.toLocaleString('en-US');
const row = (...cells: readonly (string | number)[]): string =>
  `| ${cells.map((cell) => (typeof cell === 'number' ? count(cell) : cell)).join(' | ')} |`;

export interface Recorded {
  readonly page: string;
  readonly files: number;
  /**
   * Numbers of files to be tried again: with a fault, which may have been mended since, or cut off with their process.
   */
  readonly faulty: readonly number[];
  /**
   * In words: faults, deaths and reports; empty where all is well. A death stays: trying well again explains nothing.
   */
  readonly wrong: readonly string[];
}

/**
 * @param folder where the lanes write: lane-0.tsv, slices.tsv, deaths.tsv
 * @param seed of all its files
 * @param built with which sanitizers, if any
 * @param reportsIn where those write a file each time
 */
export function recordedRun(folder: string, seed: number, built?: string, reportsIn?: string): Recorded {
  const tried = triedIn(folder);
  const slices = linesOf(folder, /^slices\.tsv$/).map((line) => line.split('\t'));
  const deaths = linesOf(folder, /^deaths\.tsv$/);
  const numbers = new Set(tried.map(({ number }) => number));
  const wellSince = deaths.filter((death) => numbers.has(Number(/^file (\d+) /.exec(death)?.[1]))).length;
  const reports = reportsIn === undefined ? [] : readdirSync(reportsIn);
  const faults = tried.flatMap(({ number, kind, said }) =>
    said.filter(isFault).map((each) => `file ${number} (${kind}): ${each}`),
  );
  const days = [...new Set(slices.map(([time = '']) => time.slice(0, 10)))];
  const commits = [...new Set(slices.map(([, commit = '']) => commit))];
  const seconds = tried.reduce((sum, { milliseconds }) => sum + milliseconds / 1000, 0);
  const slowest = tried.toSorted((a, b) => b.milliseconds - a.milliseconds)[0];
  const kinds = countsOf(tried.map(({ kind }) => kind));
  const lastNumber = Math.max(-1, ...tried.map(({ number }) => number));
  const ofKind = (kind: string): string[] => {
    const checks = tried.filter((each) => each.kind === kind);
    const said = (what: string): number => checks.filter((each) => each.said.includes(what)).length;
    return [row(kind, checks.length, said('check ok'), said('analyze ok'))];
  };
  const page = [
    '# Damaged files under the sanitizers',
    '',
    `Written by \`npm run test:sanitize -- --media=${lastNumber + 1} --seed=${seed} --keep\`, which goes on where an ` +
      'earlier run stopped.',
    '',
    row('What', 'Figure'),
    row('---', '---'),
    row('files', tried.length),
    row('numbers', `0 to ${count(lastNumber)} of seed ${seed}`),
    row('days', days.join(', ')),
    row('commits', commits.join(', ')),
    row('built with', built ?? 'no sanitizers'),
    row('runs that this took', slices.length),
    row('hours', (seconds / 3600).toFixed(1)),
    row('the longest file, s', ((slowest?.milliseconds ?? 0) / 1000).toFixed(1)),
    row('reports of the sanitizers', reports.length),
    row('processes that died or hung', deaths.length),
    row('of those, on files that went well in another process', wellSince),
    row('`internal_error`, or an error without a code', faults.length),
    '',
    row('What was done', 'What came of it', 'Files'),
    row('---', '---', '---'),
    ...[...countsOf(tried.flatMap(({ said }) => said))].map(([said, files]) => {
      const [what = '', ...rest] = said.split(' ');
      return row(what, rest.join(' '), files);
    }),
    '',
    row('Made from', 'Files', 'Pass the check', 'Analysed'),
    row('---', '---', '---', '---'),
    ...[...kinds.keys()].flatMap(ofKind),
    '',
  ].join('\n');
  const cutOff = Array.from({ length: lastNumber + 1 }, (_, number) => number).filter((number) => !numbers.has(number));
  const faulty = [...tried.filter(({ said }) => said.some(isFault)).map(({ number }) => number), ...cutOff];
  return {
    page,
    files: tried.length,
    faulty,
    wrong: [...faults, ...deaths, ...reports.map((name) => `report ${name}`)],
  };
}
