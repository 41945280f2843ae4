// The table of whole commands: kept as data beside the bench, and as a table in docs/figures.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Cost } from '../compare.ts';

export interface Measured {
  readonly part: string;
  readonly work: string;
  readonly peer: string;
  /** Medians. */
  readonly ours: Cost;
  readonly theirs: Cost;
  /** Medians of the runs' own ratios. */
  readonly ratio: Cost;
  readonly runs: number;
  readonly date: string;
  /** Processes that wanted to run beside it, on the average of the minute: wall figures mean little above 1. */
  readonly load: number;
}

interface Kept {
  readonly seconds: number;
  readonly machine: string;
  readonly rows: readonly Measured[];
}

const dataFile = fileURLToPath(new URL('last.json', import.meta.url));
export const figuresPage = fileURLToPath(new URL('../../docs/figures.md', import.meta.url));
const [begin, end] = [
  '<!-- bench/commands/last.json, by `npm run bench -- --write` -->',
  '<!-- end of bench/commands -->',
];

export const lastFigures = (): readonly Kept[] => JSON.parse(readFileSync(dataFile, 'utf8')) as readonly Kept[];

const sameRow = (a: Measured, b: Measured): boolean => a.work === b.work && a.peer === b.peer;

/** Rows that were measured now take the place of what is kept of them; others stay with their date. */
export function keep(seconds: number, machine: string, rows: readonly Measured[], order: readonly string[]): void {
  const kept = lastFigures();
  const before = kept.find((one) => one.seconds === seconds)?.rows ?? [];
  const place = ({ work, peer }: Measured): number => order.indexOf(`${work} ${peer}`);
  const all = [...before.filter((row) => !rows.some((now) => sameRow(now, row))), ...rows]
    .filter((row) => place(row) >= 0)
    .toSorted((a, b) => place(a) - place(b));
  const next = [...kept.filter((one) => one.seconds !== seconds), { seconds, machine, rows: all }];
  const rounded = (_: string, value: unknown): unknown =>
    typeof value === 'number' ? Math.round(value * 1000) / 1000 : value;
  const sorted = next.toSorted((a, b) => a.seconds - b.seconds);
  writeFileSync(dataFile, `${JSON.stringify(sorted, rounded, 2)}\n`);
  writeFileSync(figuresPage, pageWith(readFileSync(figuresPage, 'utf8'), lastFigures()));
}

const figure = (value: number): string => value.toFixed(2);

export const tableHead =
  '| Work | Peer | CPU s: ours, theirs | Wall s: ours, theirs | CPU, wall: ours / theirs |\n|---|---|---|---|---|';

export const tableRow = ({ work, peer, ours, theirs, ratio }: Measured): string =>
  `| ${[
    work,
    peer,
    `${figure(ours.cpuSeconds)}, ${figure(theirs.cpuSeconds)}`,
    `${figure(ours.wallSeconds)}, ${figure(theirs.wallSeconds)}`,
    `**${figure(ratio.cpuSeconds)}**, ${figure(ratio.wallSeconds)}`,
  ].join(' | ')} |`;

const range = (values: readonly number[]): string => {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return least === most ? String(least) : `${least} to ${most}`;
};

function textOf({ seconds, machine, rows }: Kept): string {
  const dates = [...new Set(rows.map(({ date }) => date))].toSorted();
  const loads = range(rows.map(({ load }) => Math.round(load)));
  const of = seconds < 3600 ? `${seconds / 60} minutes` : `${seconds / 3600} hours`;
  return (
    `Files of ${of}, ${machine}, ${dates.join(' to ')}, load ${loads}, ` +
    `medians of ${range(rows.map(({ runs }) => runs))}:\n\n${[tableHead, ...rows.map(tableRow)].join('\n')}`
  );
}

/** The page with the tables of these figures. */
export function pageWith(page: string, figures: readonly Kept[]): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`Expected the lines "${begin}" and "${end}" in docs/figures.md`);
  return `${page.slice(0, from + begin.length)}\n\n${figures.map(textOf).join('\n\n')}\n\n${page.slice(to)}`;
}
