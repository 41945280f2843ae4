// What moving a tuned constant of src/library/{dsp,speech} by a fifth costs, family by family, into docs/constants.
//     npm run bench:constants -- --family fillers [--only name,name] [--again] [--write] [--workers 2] [--minutes 20]
// Without --write it prints. Without --family and with --write it writes all tables anew from the source: figures of
// values that have not changed stay. Measured constants are left out unless --again asks for them.
// --ablate switches rules off, too, and takes every measure: see ablate.ts (--idle, too). --check moves nothing and
// says which pages a fresh run no longer agrees with: see check-pages.ts.
import { parseArgs } from 'node:util';
import { ablate } from './ablate.ts';
import { checkPages } from './check-pages.ts';
import { families, type Family, familyOf, isTuned } from './families.ts';
import { difference, type Figure, notLoaded, shown } from './figures.ts';
import { type Answer, measured } from './measured.ts';
import { asText, notMeasured, readRows, type Row, rowOf, writePage } from './pages.ts';
import { type SourceConstant, sourceConstants } from './source-constants.ts';
import { type Side, sides, variationOf } from './variations.ts';

const line = (figures: readonly Figure[]): string =>
  figures.map((one) => `${one.name} ${shown(one)} ${one.unit}`.trimEnd()).join(', ');

async function costOf(family: Family, constant: SourceConstant, asItIs: Answer, side: Side): Promise<string> {
  try {
    const { figures } = await measured(family.measure ?? family.id, constant.file, variationOf(constant, side));
    return difference(asItIs.figures, figures);
  } catch (thrown) {
    return `fails: ${(thrown as Error).message.slice(0, 120)}`;
  }
}

const { values: given } = parseArgs({
  options: {
    family: { type: 'string' },
    only: { type: 'string' },
    again: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    workers: { type: 'string', default: '2' },
    minutes: { type: 'string', default: '20' },
    ablate: { type: 'boolean', default: false },
    measures: { type: 'string' },
    idle: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    tests: { type: 'string' },
  },
});
const constants = sourceConstants();

async function sweep(family: Family): Promise<void> {
  if (family.measure === null)
    throw new Error(`${family.id} has no measure yet: write bench/constants/measures/${family.id}.ts`);
  const only = given.only?.split(',');
  const earlier = families.flatMap(({ id }) => readRows(id));
  const wanted = constants.filter((constant) => {
    if (familyOf(constant.file).id !== family.id || !isTuned(constant)) return false;
    if (only !== undefined && !only.includes(constant.name)) return false;
    return given.again || only !== undefined || rowOf(constant, earlier, constants).minus === notMeasured;
  });
  const asItIs = await measured(family.measure ?? family.id);
  console.log(`${family.id}, as it is: ${line(asItIs.figures)}`);
  const until = Date.now() + 60_000 * Number(given.minutes);
  const rows: Row[] = [];
  const left = [...wanted];
  const work = async (): Promise<void> => {
    for (let constant = left.shift(); constant && Date.now() < until; constant = left.shift()) {
      const cells: Partial<Record<Side, string>> = {};
      for (const side of sides) cells[side] = await costOf(family, constant, asItIs, side);
      const { minus = '', plus = '' } = cells;
      if (minus.includes(notLoaded)) {
        console.log(`${constant.file} ${constant.name}: the family's measure does not load it; it needs another one`);
        continue;
      }
      console.log(
        `${constant.file} ${constant.name} = ${constant.value.slice(0, 60)}\n  less: ${minus}\n  more: ${plus}`,
      );
      rows.push({ ...rowOf(constant, [], constants), minus, plus, measured: new Date().toISOString().slice(0, 10) });
      if (given.write) writePage(family, constants, { rows, figures: asText(asItIs.figures) });
    }
  };
  await Promise.all(Array.from({ length: Math.min(2, Number(given.workers)) }, work));
  console.log(`${rows.length} of ${wanted.length} measured`);
}

const chosen = given.family?.split(',');
if (given.ablate)
  await ablate({
    only: new RegExp(given.only ?? '', 'u'),
    measures: given.measures?.split(',') ?? null,
    minutes: Number(given.minutes),
    idle: given.idle,
    write: given.write,
    tests: given.tests?.split(',') ?? [],
  });
else if (given.check)
  await checkPages(
    families.filter(({ id }) => chosen?.includes(id) ?? true),
    constants,
    given.write,
  );
else if (chosen === undefined) {
  if (given.write) for (const family of families) writePage(family, constants);
  else console.log(`Families: ${families.map(({ id }) => id).join(', ')}`);
} else
  for (const id of chosen) {
    const family = families.find((one) => one.id === id);
    if (!family) throw new Error(`Expected a family (${families.map((one) => one.id).join(', ')}) but received ${id}`);
    if (given.write) writePage(family, constants);
    await sweep(family);
  }
