// What each rule and each tuned constant is good for: each is switched off or moved, and every measure that loads its
// file is taken, not only that of its own family. Answers stay in build/constants until the file changes.
//     npm run bench:constants -- --ablate [--only 'isNoise = false'] [--measures passages,levelling] [--minutes 20]
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { isTuned } from './families.ts';
import { difference } from './figures.ts';
import { type Answer, measured } from './measured.ts';
import { constantsOfText, root } from './source-constants.ts';
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

/** All rules and constants of a file, each moved and each switched off. */
function movesOf(file: string, text: string): { readonly name: string; readonly edits: readonly Edit[] }[] {
  return [
    ...rulesOfText(file, text),
    ...constantsOfText(file, text)
      .filter(isTuned)
      .flatMap((constant) => [
        ...sides.map((side) => ({ name: `${constant.name} ${side}`, edits: variationOf(constant, side) })),
        ...limits.map((becomes) => ({
          name: `${constant.name} = ${becomes}`,
          edits: (constant.single ? [constant.initializer] : constant.literals).map((span) => ({ ...span, becomes })),
        })),
      ]),
  ];
}

interface Asked {
  /** Of "file rule = false" and "file constant minus". */
  readonly only: RegExp;
  /** null: all that load the file. */
  readonly measures: readonly string[] | null;
  readonly minutes: number;
}

export async function ablate({ only, measures: asked, minutes }: Asked): Promise<void> {
  const until = Date.now() + 60_000 * minutes;
  const all = globSync('*.ts', { cwd: measures })
    .map((name) => name.slice(0, -3))
    .filter((name) => /export const measure\b/u.test(readFileSync(`${measures}${name}.ts`, 'utf8')))
    .filter((name) => asked === null || asked.includes(name))
    .map((name) => ({ name, loads: loadedBy(`${measures}${name}.ts`) }));
  const plain = new Map<string, Answer['figures']>();
  const figuresOf = async (name: string): Promise<Answer['figures']> => {
    const known = plain.get(name) ?? (await measured(name)).figures;
    plain.set(name, known);
    return known;
  };
  const none: string[] = [];
  console.log('| rule or constant | measure | what moves |\n|---|---|---|');
  for (const file of globSync('{dsp,speech,edit}/**/*.ts', { cwd: library }).toSorted()) {
    const text = readFileSync(library + file, 'utf8');
    const judges = all.filter(({ loads }) => loads.has(library + file));
    for (const { name, edits } of movesOf(file, text)) {
      if (!only.test(`${file} ${name}`)) continue;
      let moves = judges.length === 0;
      if (moves) console.log(`| ${file} ${name} | none loads it | |`);
      for (const judge of judges) {
        if (Date.now() > until) return console.log('The minutes are over; the same command goes on.');
        const was = await figuresOf(judge.name);
        const cell = await stored(
          `ablation/${hashOf(judge.name, file, text, JSON.stringify(edits), JSON.stringify(was))}`,
          () =>
            measured(judge.name, file, edits).then(
              ({ figures }) => difference(was, figures),
              (thrown: Error) => `fails: ${thrown.message.slice(0, 120)}`,
            ),
        );
        if (cell === 'no change') continue;
        moves = true;
        console.log(`| ${file} ${name} | ${judge.name} | ${cell} |`);
      }
      if (!moves) none.push(`${file} ${name}`);
    }
  }
  console.log(`\nMove no figure:\n${none.map((one) => `- ${one}`).join('\n')}`);
}
