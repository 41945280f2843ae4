// docs/constants/<family>.md: the tables, which are also where measured figures are kept.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { families, type Family, familyOf, sourceOf } from './families.ts';
import type { Figure } from './figures.ts';
import { shown } from './figures.ts';
import { keyOf, root, type SourceConstant } from './source-constants.ts';
import { unitOf } from './units.ts';

export const notMeasured = 'not measured yet';
const header = ['constant', 'file', 'value', 'unit', 'what chose it', '20 % less', '20 % more', 'measured'];

/** A line of a table, cells as they are written. */
export interface Row {
  readonly name: string;
  readonly file: string;
  readonly value: string;
  readonly unit: string;
  readonly source: string;
  readonly minus: string;
  readonly plus: string;
  /** A date; '' for what is not tuned. */
  readonly measured: string;
}

const mostShown = 70;

/** A value as tables have it: long ones by their beginning and a hash. */
export function shownValue({ value, literals }: SourceConstant): string {
  if (value.length <= mostShown) return value;
  const hash = createHash('sha256').update(value).digest('hex').slice(0, 8);
  return `${value.slice(0, 40).trim()} … (${literals.length} numbers, ${hash})`;
}

const escaped = (cell: string): string => cell.replaceAll('|', String.raw`\|`);
const code = (text: string): string => `\`${text}\``;
const bare = (cell: string): string => cell.replace(/^`([^]*)`$/u, '$1');

export const pagePath = (id: string): string => `${root}docs/constants/${id}.md`;

/** Rows of a page, in its order; none where there is no page. */
export function readRows(id: string): Row[] {
  if (!existsSync(pagePath(id))) return [];
  return readFileSync(pagePath(id), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => {
      const cells = line
        .slice(2, -2)
        .split(/(?<!\\) \| ?/u)
        .map((cell) =>
          cell
            .replaceAll(String.raw`\|`, '|')
            .replaceAll(/ +/gu, ' ')
            .trim(),
        );
      const [name = '', file = '', value = '', unit = '', source = '', minus = '', plus = '', measured = ''] = cells;
      return { name: bare(name), file: bare(file), value: bare(value), unit, source, minus, plus, measured };
    });
}

/**
 * What is written of a constant, with the figures that an earlier table has of the same value.
 * @param earlier rows of all tables
 * @param all constants of the source: rows of others are of constants that got another name or file, and hand theirs on
 */
export function rowOf(constant: SourceConstant, earlier: readonly Row[], all: readonly SourceConstant[]): Row {
  const family = familyOf(constant.file);
  const fixed = sourceOf(constant);
  const { name, file } = constant;
  const row = { name, file, value: shownValue(constant), unit: unitOf(constant) };
  if (fixed !== null && !fixed.isTuned) return { ...row, source: fixed.text, minus: '', plus: '', measured: '' };
  const keys = new Set(all.map(keyOf));
  const gone = earlier.filter((one) => !keys.has(keyOf(one)) && one.value === row.value);
  const before =
    earlier.find((one) => keyOf(one) === keyOf(row)) ??
    gone.find((one) => one.name === name) ??
    gone.find((one) => one.file === file);
  const isSame = before !== undefined && before.value === row.value && before.minus !== '';
  const { minus, plus, measured } = isSame ? before : { minus: notMeasured, plus: notMeasured, measured: '' };
  return { ...row, source: fixed?.text ?? family.chosenBy, minus, plus, measured };
}

const figuresText = (figures: readonly Figure[]): string =>
  figures.map((one) => `- ${one.name}: ${shown(one)} ${one.unit}`.trimEnd() + ` (${one.better} is better)`).join('\n');

/** The part of a page that says how things are with no constant changed. */
export function readFigures(id: string): string {
  if (!existsSync(pagePath(id))) return '';
  return /(?<=## As it is\n\n)[^]*?(?=\n\n## )/u.exec(readFileSync(pagePath(id), 'utf8'))?.[0] ?? '';
}

/** @param figures as it is, text of the page */
export function page({ id, title, about }: Family, rows: readonly Row[], figures: string): string {
  const lines = rows.map(
    (row) =>
      '| ' +
      `${[code(row.name), code(row.file), code(row.value), row.unit, row.source, row.minus, row.plus, row.measured].map(escaped).join(' | ')} ` +
      '|',
  );
  return [
    `# ${title}`,
    '',
    about,
    '',
    `Written by \`npm run bench:constants -- --family ${id} --write\`; [what this is](README.md).`,
    '',
    '## As it is',
    '',
    figures === '' ? 'Not measured yet.' : figures,
    '',
    '## Constants',
    '',
    `| ${header.join(' | ')} |`,
    `|${header.map(() => '---').join('|')}|`,
    ...lines,
    '',
  ].join('\n');
}

export const asText = figuresText;

/** Writes a family's page anew from the source; measured figures stay. */
export function writePage(
  family: Family,
  constants: readonly SourceConstant[],
  more?: { rows?: readonly Row[]; figures?: string },
): void {
  const earlier = families.flatMap(({ id }) => readRows(id));
  const own = constants.filter(({ file }) => familyOf(file).id === family.id);
  const newer = new Map((more?.rows ?? []).map((row) => [keyOf(row), row]));
  const rows = own.map((constant) => newer.get(keyOf(constant)) ?? rowOf(constant, earlier, constants));
  writeFileSync(pagePath(family.id), page(family, rows, more?.figures ?? readFigures(family.id)));
}
