// What moving a tuned constant of src/library/{dsp,speech} by a fifth costs, family by family, into docs/constants.
//     npm run bench:constants -- --family fillers [--only name,name] [--again] [--write] [--workers 2] [--minutes 20]
// Without --write it prints. Without --family and with --write it writes all tables anew from the source: figures of
// values that have not changed stay. Measured constants are left out unless --again asks for them.
import { spawn } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { families, type Family, familyOf, isTuned } from './families.ts';
import { difference, type Figure, notLoaded, shown } from './figures.ts';
import { asText, notMeasured, readRows, type Row, rowOf, writePage } from './pages.ts';
import { root, type SourceConstant, sourceConstants } from './source-constants.ts';
import { type Edit, type Side, sides, variationOf } from './variations.ts';

const preloads = ['vary.ts', 'networks.ts'].map((file) => `--import ${new URL(file, import.meta.url).href}`);
const kept = {
  EARSHOT_NETWORKS: `${root}build/constants/networks.sqlite`,
  NODE_COMPILE_CACHE: `${root}build/constants/compiled`,
};
const child = fileURLToPath(new URL('measure-one.ts', import.meta.url));
/** Variations may send a loop on for ever. */
const longestMinutes = 10;

interface Answer {
  readonly figures: readonly Figure[];
}

/** A measure's figures in a process of its own. @throws Error with what the process said */
function measured(family: Family, file?: string, edits?: readonly Edit[]): Promise<Answer> {
  const environment =
    file === undefined
      ? {}
      : { EARSHOT_VARIATION: JSON.stringify({ url: pathToFileURL(`${root}src/library/${file}`).href, edits }) };
  const options = [process.env['NODE_OPTIONS'] ?? '', ...preloads].join(' ').trim();
  return new Promise((resolve, reject) => {
    const run = spawn(process.execPath, [child, family.measure ?? family.id], {
      env: { ...process.env, ...environment, ...kept, NODE_OPTIONS: options },
      timeout: longestMinutes * 60_000,
    });
    let [out, error] = ['', ''];
    run.stdout.on('data', (text: Buffer) => (out += text.toString()));
    run.stderr.on('data', (text: Buffer) => (error += text.toString()));
    run.once('error', reject);
    run.once('close', (code) => {
      if (code === 0) resolve(JSON.parse(out) as Answer);
      else
        reject(new Error(/(?:^|\n)(\w*Error[^\n]*)/u.exec(error)?.[1] ?? `ended with ${code}: ${error.slice(-500)}`));
    });
  });
}

const line = (figures: readonly Figure[]): string =>
  figures.map((one) => `${one.name} ${shown(one)} ${one.unit}`.trimEnd()).join(', ');

async function costOf(family: Family, constant: SourceConstant, asItIs: Answer, side: Side): Promise<string> {
  try {
    const { figures } = await measured(family, constant.file, variationOf(constant, side));
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
  const asItIs = await measured(family);
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
if (chosen === undefined) {
  if (given.write) for (const family of families) writePage(family, constants);
  else console.log(`Families: ${families.map(({ id }) => id).join(', ')}`);
} else
  for (const id of chosen) {
    const family = families.find((one) => one.id === id);
    if (!family) throw new Error(`Expected a family (${families.map((one) => one.id).join(', ')}) but received ${id}`);
    if (given.write) writePage(family, constants);
    await sweep(family);
  }
