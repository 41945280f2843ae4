// How many lines each room of src has, and which rooms import which: the figures of decision 47
// (docs/decisions/library/0047-two-houses.md).
//     node scripts/rooms.ts [commit]      default: the working tree
import { execFileSync } from 'node:child_process';
import { dirname, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const commit = process.argv[2];
const cwd = fileURLToPath(new URL('..', import.meta.url));

/** Lines of `git grep` as [path, rest]. */
function grep(...options: string[]): [path: string, rest: string][] {
  const revision = commit === undefined ? [] : [commit];
  const args = ['grep', '-z', '-I', ...options, ...revision, '--', 'src/*.ts', 'src/*.tsx'];
  return execFileSync('git', args, { cwd, encoding: 'utf8', maxBuffer: 1 << 28 })
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [path = '', rest = ''] = line.split('\0');
      return [commit === undefined ? path : path.slice(commit.length + 1), rest];
    });
}

/** "library/dsp" of src/library/dsp/gain/gain.ts; of older trees "dsp". */
function roomOf(path: string): string {
  const [, house = '', room = '', ...rest] = path.split('/');
  if (room === '') return 'entry points';
  return (house === 'library' || house === 'service') && rest.length > 0 ? `${house}/${room}` : house;
}

const lines = new Map<string, number>();
for (const [path, count] of grep('-c', '')) {
  if (path.includes('generated') || /\/(?:api-types|tool-inputs)\.ts$/.test(path)) continue;
  lines.set(roomOf(path), (lines.get(roomOf(path)) ?? 0) + Number(count));
}

/** By pair of rooms: number of imports. */
const arrows = new Map<string, number>();
for (const [path, text] of grep('-o', '-E', "(from|import\\() ?'\\.[^']*'")) {
  const [, target = ''] = /'(\.[^']*)'/.exec(text) ?? [];
  const [from, to] = [roomOf(path), roomOf(posix.join(dirname(path), target))];
  if (from === to || from === 'entry points') continue;
  arrows.set(`${from} -> ${to}`, (arrows.get(`${from} -> ${to}`) ?? 0) + 1);
}

const isIn = (house: string, arrow: string): boolean =>
  arrow.split(' -> ').every((room) => room.startsWith(`${house}/`));
const pairs = [...arrows].sort(([a], [b]) => (a < b ? -1 : 1));
for (const [room, count] of [...lines].sort(([a], [b]) => (a < b ? -1 : 1)))
  console.log(`${room.padEnd(20)} ${count.toLocaleString('en').padStart(8)}`);
console.log(
  `${'all'.padEnd(20)} ${[...lines.values()]
    .reduce((a, b) => a + b, 0)
    .toLocaleString('en')
    .padStart(8)}\n`,
);
for (const [arrow, count] of pairs) console.log(`${arrow.padEnd(44)} ${String(count).padStart(5)}`);
const inside = ['library', 'service'].map((house) => pairs.filter(([arrow]) => isIn(house, arrow)).length);
console.log(
  `\n${pairs.length} pairs of rooms: ${inside[0]} inside the library, ${inside[1]} inside the service, ` +
    `${pairs.length - (inside[0] ?? 0) - (inside[1] ?? 0)} others`,
);
