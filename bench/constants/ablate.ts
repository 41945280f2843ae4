// What each rule and each tuned constant is good for: each is switched off or moved, and every measure that loads its
// file is taken, not only that of its own family. Answers stay in build/constants until the file changes.
//     npm run bench:constants -- --ablate [--only 'isNoise = false'] [--measures passages,levelling] [--minutes 20]
//     npm run bench:constants -- --ablate --idle [--write] [--tests test/library/dsp]   constants of which a fifth
// changes nothing: is there any use? What moves no figure is given to these tests: one may hold it.
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { families, familyOf, isTuned } from './families.ts';
import { difference } from './figures.ts';
import { heldBy } from './held-by.ts';
import { type Answer, longestMinutes, measured } from './measured.ts';
import { readRows, type Row, writePage } from './pages.ts';
import { constantsOfText, root, type SourceConstant, sourceConstants } from './source-constants.ts';
import { rulesOfText } from './source-rules.ts';
import { stored } from './store.ts';
import { type Edit, sides, variationOf } from './variations.ts';

const library = `${root}src/library/`;
const measures = `${root}bench/constants/measures/`;

/** Files below src/library that a module loads, on threads, too. */
function loadedBy(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  const text = readFileSync(path, 'utf8');
  const { staticImports, staticExports } = parseSync(path, text).module;
  const wanted = [
    ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) => entries.flatMap((entry) => entry.moduleRequest?.value ?? [])),
    ...[...text.matchAll(/import\('(\.[^']+)'\)/gu)].map((found) => found[1] ?? ''),
  ];
  for (const one of wanted) if (one.startsWith('.') && one.endsWith('.ts')) loadedBy(join(dirname(path), one), seen);
  for (const [, module] of text.matchAll(/moduleUrl\('([^']+)'\)/gu)) loadedBy(`${root}src/${module}.ts`, seen);
  return seen;
}

const hashOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 16);

/** A constant that is met by everything, or by nothing: the condition that it is for is gone. */
const limits = ['0', '1e5'];

interface Move {
  readonly name: string;
  readonly edits: readonly Edit[];
}

/** A rule, or a constant in all its moves. */
interface Subject {
  readonly name: string;
  readonly moves: readonly Move[];
  readonly constant: SourceConstant | null;
}

const limitMoves = (constant: SourceConstant): Move[] =>
  limits.map((becomes) => ({
    name: `${constant.name} = ${becomes}`,
    edits: (constant.single ? [constant.initializer] : constant.literals).map((span) => ({ ...span, becomes })),
  }));

const fifthMoves = (constant: SourceConstant): Move[] =>
  sides.map((side) => ({ name: `${constant.name} ${side}`, edits: variationOf(constant, side) }));

/** All rules and constants of a file, each moved and each switched off. */
function subjectsOf(file: string, text: string, idle: ReadonlySet<string> | null): Subject[] {
  const constants = constantsOfText(file, text)
    .filter((constant) => isTuned(constant) && (idle?.has(`${file} ${constant.name}`) ?? true))
    .map((constant) => ({
      name: constant.name,
      constant,
      moves: [...limitMoves(constant), ...(idle === null ? fifthMoves(constant) : [])],
    }));
  if (idle !== null) return constants;
  return [...rulesOfText(file, text).map((rule) => ({ name: rule.name, moves: [rule], constant: null })), ...constants];
}

interface Asked {
  /** Of "file rule = false" and "file constant minus". */
  readonly only: RegExp;
  /** null: all that load the file. */
  readonly measures: readonly string[] | null;
  readonly minutes: number;
  /** Constants alone of which a fifth less and a fifth more change no figure; the first figure that moves is enough. */
  readonly idle: boolean;
  /** With `idle`: what moves at 0 and at 100,000 is written into the tables. */
  readonly write: boolean;
  /** Files or folders of tests; empty: none is asked. */
  readonly tests: readonly string[];
}

interface Judge {
  readonly name: string;
  readonly loads: ReadonlySet<string>;
}

interface Plain {
  readonly figures: Answer['figures'];
  readonly minutes: number;
}

const plain = new Map<string, Promise<Plain>>();
async function takePlain(name: string): Promise<Plain> {
  const begun = Date.now();
  const { figures } = await measured(name);
  return { figures, minutes: (Date.now() - begun) / 60_000 };
}
function plainOf(name: string): Promise<Plain> {
  const known = plain.get(name) ?? takePlain(name);
  plain.set(name, known);
  return known;
}

/** What a move changes of a measure's figures. */
async function changeOf(judge: Judge, file: string, text: string, edits: readonly Edit[]): Promise<string> {
  const { figures: was, minutes } = await plainOf(judge.name);
  // A step of nothing goes on for ever.
  const most = Math.min(longestMinutes, 0.5 + 6 * minutes);
  return stored(`ablation/${hashOf(judge.name, file, text, JSON.stringify(edits), JSON.stringify(was))}`, () =>
    measured(judge.name, file, edits, most).then(
      ({ figures }) => difference(was, figures),
      (thrown: Error) => `fails: ${thrown.message.slice(0, 120)}`,
    ),
  );
}

/** The row of a constant with what became of it at its limits. */
function writeRow({ file, name }: SourceConstant, found: readonly (readonly [limit: string, cell: string])[]): void {
  const family = familyOf(file);
  const row = readRows(family.id).find((one) => one.file === file && one.name === name);
  if (row === undefined) return;
  const cellOf = (limit: string): string =>
    [unchanged, ...found.filter(([at]) => at === limit).map(([at, cell]) => `at ${at}: ${cell}`)].join('; ');
  const [minus, plus] = found.length > 0 ? limits.map(cellOf) : [`${unchanged}, nor at 0`, `${unchanged}, nor at 1e5`];
  const measuredAt = new Date().toISOString().slice(0, 10);
  const newer: Row = { ...row, minus: minus ?? '', plus: plus ?? '', measured: measuredAt };
  writePage(family, sourceConstants(), { rows: [newer] });
}

const unchanged = 'no change';

export async function ablate({ only, measures: asked, minutes, idle, write, tests }: Asked): Promise<void> {
  const until = Date.now() + 60_000 * minutes;
  const all = globSync('*.ts', { cwd: measures })
    .map((name) => name.slice(0, -3))
    .filter((name) => /export const measure\b/u.test(readFileSync(`${measures}${name}.ts`, 'utf8')))
    .filter((name) => asked === null || asked.includes(name))
    .map((name): Judge => ({ name, loads: loadedBy(`${measures}${name}.ts`) }));
  const quiet = idle
    ? new Set(
        families
          .flatMap(({ id }) => readRows(id))
          .filter((row) => row.minus === unchanged && row.plus === unchanged)
          .map(({ file, name }) => `${file} ${name}`),
      )
    : null;
  const none: string[] = [];
  console.log('| rule or constant | measure | what moves |\n|---|---|---|');
  for (const file of globSync('{dsp,speech,edit}/**/*.ts', { cwd: library }).toSorted()) {
    const text = readFileSync(library + file, 'utf8');
    const subjects = subjectsOf(file, text, quiet)
      .map((one) => ({ ...one, moves: one.moves.filter(({ name }) => only.test(`${file} ${name}`)) }))
      .filter((one) => one.moves.length > 0);
    if (subjects.length === 0) continue;
    const judges = all.filter(({ loads }) => loads.has(library + file));
    if (idle) {
      const own = familyOf(file);
      const times = new Map(
        await Promise.all(judges.map(async ({ name }) => [name, (await plainOf(name)).minutes] as const)),
      );
      const rank = ({ name }: Judge): number => (name === (own.measure ?? own.id) ? -1 : (times.get(name) ?? 0));
      judges.sort((a, b) => rank(a) - rank(b));
    }
    for (const { name, moves, constant } of subjects) {
      const found: [limit: string, cell: string][] = [];
      for (const judge of judges)
        for (const move of moves) {
          if (idle && found.length > 0) continue;
          if (Date.now() > until) return console.log('The minutes are over; the same command goes on.');
          const cell = await changeOf(judge, file, text, move.edits);
          // A hundred thousand rounds say nothing of six.
          if (cell === unchanged || (idle && cell.startsWith('fails: it takes over'))) continue;
          found.push([
            move.name.split(' = ').at(-1) ?? '',
            judge.name === familyOf(file).id ? cell : `${judge.name}, ${cell}`,
          ]);
          console.log(`| ${file} ${move.name} | ${judge.name} | ${cell} |`);
        }
      if (found.length === 0 && tests.length > 0)
        for (const { name: moved, edits } of moves) {
          const test = await heldBy(tests, file, edits);
          if (test === null) continue;
          console.log(`| ${file} ${moved} | a test | ${test} |`);
          found.push([moved.split(' = ').at(-1) ?? '', `a test fails, "${test}"`]);
          break;
        }
      if (judges.length === 0) console.log(`| ${file} ${name} | none loads it | |`);
      else if (found.length === 0) {
        none.push(`${file} ${name}`);
        console.log(`| ${file} ${name} | ${judges.map((judge) => judge.name).join(', ')} | nothing |`);
      }
      // That nothing moves is known when all measures were taken.
      if (write && idle && constant !== null && (found.length > 0 || asked === null)) writeRow(constant, found);
    }
  }
  console.log(`\nMove no figure:\n${none.map((one) => `- ${one}`).join('\n')}`);
}
