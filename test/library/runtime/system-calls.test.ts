// The filters of system calls, run in an interpreter of our own: each call of the table gets what its row says,
// whatever its arguments, on every processor. The table is read here without the code that makes the filters.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { missingCalls } from '../../../scripts/system-calls/kernel-headers.mjs';
import { readTable } from '../../../scripts/system-calls/table.mjs';
import { systemCalls } from '../../../scripts/system-calls/write.mjs';
import { seeded } from '../../fixtures/random.ts';
import { useEngines } from './support.ts';
import { slow } from '../../fixtures/rounds.ts';

const { folder } = useEngines();
const root = fileURLToPath(new URL('../../../', import.meta.url));
const table = readFileSync(join(root, 'native/confine/system-calls.tsv'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .slice(1)
  .map((line) => line.split('\t'));

const processors = [
  { name: 'x64', column: 1, defined: 'defined(__x86_64__)', audit: 0xc000003e },
  { name: 'arm64', column: 2, defined: 'defined(__aarch64__)', audit: 0xc00000b7 },
  { name: 'riscv64', column: 3, defined: 'defined(__riscv) && __riscv_xlen == 64', audit: 0xc00000f3 },
] as const;

const self = 0x7e1f7e1f;
const allowed = 0x7fff0000;
const killed = 0x80000000;
const answers: Readonly<Record<string, number>> = {
  allow: allowed,
  done: 0x50000,
  EPERM: 0x50001,
  ENOSYS: 0x50026,
  EOPNOTSUPP: 0x5005f,
};

type Instruction = readonly [code: number, yes: number, no: number, value: number];

const made = systemCalls(readTable(root));

/** As the compiler reads it. */
function filterOf(defined: string, name: string): Instruction[] {
  const part = made.slice(made.indexOf(`#if ${defined}\n`));
  const body = part.slice(
    part.indexOf(`sock_filter ${name}[]`),
    part.indexOf('};', part.indexOf(`sock_filter ${name}[]`)),
  );
  return [...body.matchAll(/\{0x(\w+), (\d+), (\d+), 0x(\w+)u\}/g)].map(
    ([, code = '', yes, no, value = '']) => [parseInt(code, 16), Number(yes), Number(no), parseInt(value, 16)] as const,
  );
}

/** What the kernel would do: the seven instructions of classic BPF that filters have. */
function run(filter: readonly Instruction[], audit: number, number: number, given: readonly bigint[]): number {
  const word = (at: number): number => {
    if (at === 0) return number;
    if (at === 4) return audit;
    const argument = given[(at - 16) >> 3] ?? 0n;
    return Number(BigInt.asUintN(32, at % 8 === 0 ? argument : argument >> 32n));
  };
  let held = 0;
  for (let at = 0, steps = 0; steps < 4096; steps++) {
    const instruction = filter[at];
    if (instruction === undefined) throw new Error(`ran to ${at} of ${filter.length}`);
    const [code, yes, no, value] = instruction;
    at += 1;
    if (code === 0x20) held = word(value);
    else if (code === 0x54) held = (held & value) >>> 0;
    else if (code === 0x05) at += value;
    else if (code === 0x15) at += held === value ? yes : no;
    else if (code === 0x35) at += held >= value ? yes : no;
    else if (code === 0x06) return value;
    else throw new Error(`no instruction ${code}`);
  }
  throw new Error('no end');
}

const numberOf = (text: string): bigint => (text === 'self' ? BigInt(self) : BigInt(text));

/** The table's own words: "a1=2,3 & a2&0x4=0 -> EPERM | a0==0". */
function expected(verdict: string, rule: string, given: readonly bigint[]): number {
  if (rule === '-') return answers[verdict === 'start' ? 'allow' : verdict] ?? NaN;
  for (const alternative of rule.split(' | ')) {
    const [conditions = '', answer = 'allow'] = alternative.split(' -> ');
    const all = conditions.split(' & ').every((condition) => {
      const value = given[Number(condition[1])] ?? 0n;
      const low = BigInt.asUintN(32, value);
      const rest = condition.slice(2);
      if (rest.startsWith('==')) return value === numberOf(rest.slice(2));
      const [mask, values = ''] = rest.startsWith('&') ? rest.slice(1).split('=') : [undefined, rest.slice(1)];
      const seen = mask === undefined ? low : low & numberOf(mask);
      return values.split(',').some((each) => numberOf(each) === seen);
    });
    if (all) return answers[answer] ?? NaN;
  }
  return answers['EPERM'] ?? NaN;
}

const seed = Number(process.env['EARSHOT_SEED'] ?? Date.now() % 1_000_000);
const next = seeded(seed);
const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)] as Item;
const bits = (count: number): bigint => BigInt(Math.floor(next() * 2 ** Math.min(count, 32)));

/** Values of the rule, alone and with bits that do not belong to them, and anything else. */
function arguments_(rule: string): bigint[] {
  const known = [...rule.matchAll(/self|0x[0-9a-f]+|(?<![a&\w])\d+/g)].map(([text]) => numberOf(text));
  const near = [...known, 0n, 1n, BigInt(self)];
  return Array.from({ length: 6 }, () =>
    pick<() => bigint>([
      () => pick(near),
      () => pick(near),
      () => pick(near) | (1n << bits(5)),
      () => pick(near) | (1n << (32n + bits(5))),
      () => bits(32),
      () => (bits(32) << 32n) | bits(32),
      () => 1n << 32n,
    ])(),
  );
}

describe.each(processors)('the filter for $name', ({ column, defined, audit }) => {
  const first = filterOf(defined, 'first_filter');
  const second = filterOf(defined, 'second_filter');
  const rows = table.filter((row) => row[column] !== '-');
  const numbers = new Set(rows.map((row) => Number(row[column])));

  it(`answers every call as the table says (seed ${seed})`, slow, () => {
    let cases = 0;
    for (const row of rows) {
      const [name = '', , , , verdict = '', rule = ''] = row;
      for (let round = 0; round < (rule === '-' ? 20 : 1500); round++) {
        const given = arguments_(rule);
        cases += 1;
        const answer = run(first, audit, Number(row[column]), given);
        if (answer !== expected(verdict, rule, given))
          expect.fail(`seed ${seed}: ${name}(${given.join(', ')}) is answered ${answer.toString(16)}`);
      }
    }
    console.log(`${cases} calls answered rightly by ${first.length} instructions`);
    expect(cases).toBeGreaterThan(20_000);
  });

  it('knows nothing of other numbers, and ends the process for the calls of another processor', () => {
    const others = [...Array.from({ length: 2000 }, (_, number) => number), 2 ** 30, 2 ** 30 + 1, 2 ** 31, 2 ** 32 - 1];
    for (const number of others.filter((each) => !numbers.has(each)))
      expect([number, run(first, audit, number, [])]).toEqual([number, answers['ENOSYS']]);
    for (const foreign of [...processors.map((each) => each.audit), 0x40000003, 0].filter((each) => each !== audit))
      for (const number of [0, 1, 59, 0xffffffff]) {
        expect(run(first, foreign, number, [])).toBe(killed);
        expect(run(second, foreign, number, [])).toBe(killed);
      }
  });

  it('leaves what is for the start alone to the second one, which refuses that and nothing else', () => {
    for (const row of rows)
      for (let round = 0; round < 5; round++)
        expect([row[0], run(second, audit, Number(row[column]), arguments_('-'))]).toEqual([
          row[0],
          row[4] === 'start' ? answers['EPERM'] : allowed,
        ]);
    expect(
      rows
        .filter((row) => row[4] === 'start')
        .map(([name]) => name)
        .toSorted((a = '', b = '') => (a < b ? -1 : 1)),
    ).toEqual(['execve', 'seccomp']);
  });
});

describe('the table', () => {
  it('has every call of this machine’s kernel headers', () => expect(missingCalls(readTable(root))).toEqual([]));

  it('is refused by the build when it lacks one', () => {
    const include = folder();
    for (const name of ['asm', 'asm-generic']) mkdirSync(join(include, name));
    const x64 = '#ifndef _ASM_UNISTD_64_H\n#define __NR_read 0\n#define __NR_newer_call 9999\n#define __NR_wrong 1\n';
    writeFileSync(join(include, 'asm/unistd_64.h'), x64);
    const generic =
      '#define __NR_io_setup 0\n#define __NR3264_fcntl 25\n#define __NR_later 900\n#define __NR_syscalls 901\n';
    writeFileSync(join(include, 'asm-generic/unistd.h'), generic);
    expect(missingCalls(readTable(root), include)).toEqual([
      'newer_call, 9999 on x64',
      'wrong, 1 on x64',
      'later, 900 on arm64',
    ]);
    expect(missingCalls(readTable(root), join(include, 'none'))).toEqual([]);
  });

  it.each([
    ['x\t1\t1\t1\tallow\t-\t-', 'Expected 8 columns but got 7'],
    ['x\t1\t1\t1\tmaybe\t-\t-\twhy', 'maybe is no verdict'],
    ['x\t1\t1\t1\tallow\ta0=1\t-\twhy', 'A rule belongs to rule and start'],
    ['x\t1\t1\t1\trule\ta9=1\t-\twhy', 'Expected a condition such as a1&0x3=1,2 but got a9=1'],
    ['x\t1\t1\t1\trule\ta0=1 -> KILL\t-\twhy', 'but got KILL'],
    ['x\tone\t1\t1\tallow\t-\t-\twhy', 'Expected a number of 32 bits, or self, but got one'],
    ['read\t999\t999\t999\tallow\t-\t-\twhy', 'read is there twice'],
    ['x\t0\t999\t999\tallow\t-\t-\twhy', '0 is there twice'],
  ])('is refused with a wrong row: %j', (line, message) => {
    const copy = folder();
    mkdirSync(join(copy, 'native/confine'), { recursive: true });
    const text = readFileSync(join(root, 'native/confine/system-calls.tsv'), 'utf8');
    writeFileSync(join(copy, 'native/confine/system-calls.tsv'), `${text}${line}\n`);
    expect(() => readTable(copy)).toThrow(message);
  });
});
