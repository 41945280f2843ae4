// Reads native/confine/system-calls.tsv: which system calls a job may make, and how the others are answered.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The processors that the table has numbers for, with what the kernel calls them (AUDIT_ARCH_*) and compilers do. */
export const processors = {
  x64: { audit: 0xc000003e, defined: 'defined(__x86_64__)' },
  arm64: { audit: 0xc00000b7, defined: 'defined(__aarch64__)' },
  riscv64: { audit: 0xc00000f3, defined: 'defined(__riscv) && __riscv_xlen == 64' },
};

const columns = ['name', ...Object.keys(processors), 'verdict', 'rule', 'seen', 'why'];
const answers = ['allow', 'EPERM', 'ENOSYS', 'EOPNOTSUPP', 'done'];

/**
 * In place of the process's own number, until the launcher knows it. No other value of the table equals it.
 */
export const self = 0x7e1f7e1f;

const number = (text) => {
  if (text === 'self') return self;
  if (!/^(?:0x[0-9a-f]+|\d+)$/.test(text) || Number(text) > 0xffffffff)
    throw new Error(`Expected a number of 32 bits, or self, but got ${text}`);
  if (Number(text) === self) throw new Error(`${text} is taken for self: choose another one in table.mjs`);
  return Number(text);
};

/** "a1&0x3=1,2" */
function condition(text) {
  const [, index, equals, mask, values] = /^a([0-5])(?:(==)|(?:&(\w+))?=)([\w,]+)$/.exec(text) ?? [];
  if (index === undefined) throw new Error(`Expected a condition such as a1&0x3=1,2 but got ${text}`);
  return {
    argument: Number(index),
    wide: equals !== undefined,
    mask: mask === undefined ? null : number(mask),
    values: values.split(',').map(number),
  };
}

/** "a0=0 & a1=1,2 | a0=3 -> ENOSYS" */
function rule(text) {
  return text.split(' | ').map((alternative) => {
    const [conditions, answer = 'allow'] = alternative.split(' -> ');
    if (!answers.includes(answer)) throw new Error(`Expected one of ${answers.join(', ')} but got ${answer}`);
    return { conditions: conditions.split(' & ').map(condition), answer };
  });
}

function row(cells) {
  const [name, ...rest] = cells;
  if (cells.length !== columns.length) throw new Error(`Expected ${columns.length} columns but got ${cells.length}`);
  const names = Object.keys(processors);
  const numbers = Object.fromEntries(
    names.map((processor, index) => [processor, rest[index] === '-' ? null : number(rest[index])]),
  );
  const [verdict, given] = rest.slice(names.length);
  if (![...answers, 'rule', 'start'].includes(verdict)) throw new Error(`${verdict} is no verdict`);
  if ((verdict === 'rule') !== (given !== '-') && verdict !== 'start')
    throw new Error('A rule belongs to rule and start');
  return { name, numbers, verdict, rule: given === '-' ? null : rule(given) };
}

/**
 * @param root the package
 * @returns a row for each call: { name, numbers by processor or null, verdict, rule or null }
 * @throws Error that names the line which is no row, or repeats a call
 */
export function readTable(root) {
  const path = join(root, 'native/confine/system-calls.tsv');
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const [head, ...rows] = lines.filter((line) => !line.startsWith('#'));
  if (head !== columns.join('\t'))
    throw new Error(`${path}: expected the columns ${columns.join(', ')} but got ${head}`);
  const table = rows.map((line) => {
    try {
      return row(line.split('\t'));
    } catch (error) {
      throw new Error(`${path}: ${line.split('\t')[0]}: ${error.message}`, { cause: error });
    }
  });
  for (const key of [
    ({ name }) => name,
    ...Object.keys(processors).map(
      (each) =>
        ({ numbers }) =>
          numbers[each],
    ),
  ]) {
    const keys = table.map(key).filter((each) => each !== null);
    const twice = keys.find((each, index) => keys.indexOf(each) !== index);
    if (twice !== undefined) throw new Error(`${path}: ${twice} is there twice`);
  }
  return table;
}
