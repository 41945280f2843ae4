// Every figure that the documentation gives, at an earlier commit and now, in one table; and, on demand, what that
// commit's own code says of today's recordings.
//     npm run bench:beside [-- --rev fc9d4103] [--all]       pages alone, takes a second; --all: what is equal, too
//     npm run bench:beside -- --run hum,clipping,pauses       runs these measures of docs/constants with both codes
//     npm run bench:beside -- --run cheap                     those that take under ten seconds of CPU
//     npm run bench:beside -- --lines                         what the lines of src are, folder by folder
//
// Two columns of pages may differ because the recordings did, or because a page was not written anew: only the two
// columns that were run say what the code changed. The earlier tree lies in build/beside: its sources, its own native
// addon, and this tree's packages and recordings.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { parseArgs } from 'node:util';
import { families } from './constants/families.ts';
import { type Figure, shown } from './constants/figures.ts';
import { root } from './constants/source-constants.ts';

const { values: given } = parseArgs({
  options: {
    rev: { type: 'string', default: 'fc9d4103' },
    run: { type: 'string' },
    all: { type: 'boolean', default: false },
    lines: { type: 'boolean', default: false },
  },
});
const cheap = ['own-transcripts', 'unwritten-fillers', 'mouth-sounds', 'pauses', 'bursts', 'hum', 'clipping'];

const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1e9, stdio: ['ignore', 'pipe', 'ignore'] });

/** Ends with a sentence in place of an empty table. */
function refuse(message: string): never {
  console.error(message);
  process.exit(2);
}

const isCommit = spawnSync('git', ['rev-parse', '--verify', '--quiet', `${given.rev}^{commit}`], { cwd: root });
if (isCommit.status !== 0) refuse(`Expected a commit of this repository as --rev but received ${given.rev}`);

/** A file of the earlier commit; '' where it had none. */
function before(path: string): string {
  try {
    return git('show', `${given.rev}:${path}`);
  } catch {
    return '';
  }
}

/** The earlier tree, ready to run. */
function earlierTree(): string {
  const rev = git('rev-parse', '--short=8', given.rev).trim();
  const tree = join(root, 'build/beside', rev);
  if (existsSync(join(tree, 'prebuilt/earshot.node'))) return tree;
  mkdirSync(tree, { recursive: true });
  const archive = execFileSync('git', ['archive', rev], { cwd: root, maxBuffer: 1e9 });
  execFileSync('tar', ['x', '-C', tree], { input: archive });
  const link = (target: string, path: string): void => {
    if (!existsSync(path)) symlinkSync(target, path);
  };
  link(join(root, 'node_modules'), join(tree, 'node_modules'));
  link(join(root, '../shared'), join(tree, '../shared'));
  const PATH = [join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
  const built = spawnSync('npm', ['run', 'install'], { cwd: tree, env: { ...process.env, PATH }, encoding: 'utf8' });
  if (built.status !== 0) throw new Error(`The native addon of ${rev} cannot be built: ${built.stderr.slice(-500)}`);
  return tree;
}

/** What a tree's own code measures; null: it has no such measure. */
function run(tree: string, measure: string): readonly Figure[] | null {
  const constants = join(tree, 'bench/constants');
  if (!existsSync(join(constants, 'measures', `${measure}.ts`))) return null;
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--import', join(constants, 'networks.ts'), join(constants, 'measure-one.ts'), measure],
    {
      cwd: tree,
      encoding: 'utf8',
      env: { ...process.env, EARSHOT_NETWORKS: join(tree, 'build/constants/networks.sqlite') },
    },
  );
  if (status !== 0) throw new Error(`${measure} in ${tree}: ${stderr.slice(-500)}`);
  return (JSON.parse(stdout) as { figures: Figure[] }).figures;
}

const onDisk = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Row {
  readonly name: string;
  /** Cells, '' for what a side does not have. */
  readonly was: string;
  readonly is: string;
  readonly better?: Figure['better'];
}

const verdict = (was: string, is: string, better: Figure['better'] | undefined): string => {
  const [a, b] = [Number.parseFloat(was), Number.parseFloat(is)];
  if (better === undefined || Number.isNaN(a) || Number.isNaN(b)) return '';
  return a === b ? '=' : b > a === (better === 'higher') ? 'better' : 'worse';
};

/** "- figure: 1.20 s (lower is better)" by name. */
function pageFigures(page: string): Map<string, { cell: string; better: Figure['better'] }> {
  return new Map(
    [...page.matchAll(/^- (.+): (\S+ ?[^(]*?) \((lower|higher) is better\)$/gm)].map(([, name, cell, better]) => [
      name ?? '',
      { cell: cell ?? '', better: better as Figure['better'] },
    ]),
  );
}

function rowsOfPages(id: string): Row[] {
  const path = `docs/constants/${id}.md`;
  const [old, now] = [pageFigures(before(path)), pageFigures(onDisk(path))];
  return [...new Set([...old.keys(), ...now.keys()])].map((name) => ({
    name,
    was: old.get(name)?.cell ?? '',
    is: now.get(name)?.cell ?? '',
    better: (now.get(name) ?? old.get(name))!.better,
  }));
}

/** Rows of the tables of docs/figures.md by their text, without figures: a row that says the same is the same row. */
function tableRows(page: string): Map<string, string> {
  const rows = new Map<string, string>();
  let heading = '';
  for (const line of page.split('\n')) {
    if (line.startsWith('#')) heading = line.replace(/^#+ /, '');
    if (!line.startsWith('| ') || /^\| ?-/.test(line)) continue;
    const cells = line.slice(2, -2).split(' | ');
    const [first = '', ...rest] = cells;
    // A tool has a row for each of its figures: what it says before its first number tells them apart.
    const name = first.startsWith('`') ? `${first}: ${(rest[0] ?? '').split(/\d/)[0]}` : first;
    rows.set(`${heading} › ${name.trim()}`, rest.join(' | '));
  }
  return rows;
}

const short = (cell: string): string => (cell.length > 160 ? `${cell.slice(0, 160)} …` : cell).replaceAll('|', '/');

/** TypeScript of src by folder: lines then, now, and now in files that came since (renamed ones did not). */
function printLines(): void {
  const sizes = (rev: string): Map<string, number> => {
    const counted = git('grep', '-c', '', rev, '--', 'src/*.ts', 'src/*.tsx').trim().split('\n');
    return new Map(counted.map((line) => line.split(':').slice(1)).map(([path = '', count]) => [path, Number(count)]));
  };
  const came = git('diff', '-M40', '-l9999', '--diff-filter=A', '--name-only', given.rev, 'HEAD', '--', 'src').split(
    '\n',
  );
  const rows = new Map<string, [was: number, is: number, inNew: number]>();
  const count = (path: string, column: 0 | 1 | 2, lines: number): void => {
    for (const name of new Set(['src', path.split('/').slice(0, -1).slice(0, 3).join('/')])) {
      const row = rows.get(name) ?? [0, 0, 0];
      row[column] += lines;
      rows.set(name, row);
    }
  };
  for (const [path, lines] of sizes(given.rev)) count(path, 0, lines);
  for (const [path, lines] of sizes('HEAD')) count(path, 1, lines);
  for (const [path, lines] of sizes('HEAD')) if (came.includes(path)) count(path, 2, lines);
  console.log(`| folder | ${given.rev} | now | now in files that are new |\n|---|---|---|---|`);
  for (const [name, [was, is, inNew]] of [...rows].sort(([, a], [, b]) => b[1] - b[0] - (a[1] - a[0])))
    console.log(`| ${name} | ${was} | ${is} | ${inNew} |`);
}

if (given.lines) {
  printLines();
  process.exit();
}

const wanted = given.run === 'cheap' ? cheap : (given.run?.split(',') ?? []);
for (const id of wanted)
  if (!existsSync(join(root, `bench/constants/measures/${id}.ts`)))
    refuse(`Expected names of files in bench/constants/measures, or cheap, as --run but received ${id}`);
const tree = wanted.length > 0 ? earlierTree() : '';

console.log(`## Measures of docs/constants\n\n| figure | page at ${given.rev} | page now | |`);
console.log('|---|---|---|---|');
for (const { id } of families)
  for (const { name, was, is, better } of rowsOfPages(id))
    if (given.all || was !== is) console.log(`| ${id}: ${name} | ${was} | ${is} | ${verdict(was, is, better)} |`);

if (wanted.length > 0) {
  console.log(`\n## The same, run now by both codes\n\n| figure | ${given.rev} | now | |\n|---|---|---|---|`);
  for (const id of wanted) {
    const [old, now] = [run(tree, id), run(root, id)];
    for (const figure of now ?? []) {
      const was = old?.find(({ name }) => name === figure.name);
      const cells = [was === undefined ? '' : shown(was), shown(figure)] as const;
      console.log(`| ${id}: ${figure.name} | ${cells.join(' | ')} | ${verdict(...cells, figure.better)} |`);
    }
  }
}

console.log(`\n## docs/figures.md\n\n| figure | ${given.rev} | now |\n|---|---|---|`);
const [old, now] = [tableRows(before('docs/figures.md')), tableRows(onDisk('docs/figures.md'))];
for (const name of new Set([...old.keys(), ...now.keys()])) {
  const [was, is] = [old.get(name) ?? '', now.get(name) ?? ''];
  // What is new has nothing beside it.
  if (was !== '' && (given.all || was !== is)) console.log(`| ${name} | ${short(was)} | ${short(is)} |`);
}
