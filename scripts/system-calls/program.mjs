// Makes the programs that the kernel runs for every system call of a job (seccomp, classic BPF). Calls are looked up in
// a binary tree of their numbers, so that what is judged by its arguments costs ten instructions and not a thousand.
// Method: Linux, Documentation/userspace-api/seccomp_filter.rst and include/uapi/linux/bpf_common.h.
import { processors } from './table.mjs';

const code = { load: 0x20, and: 0x54, jump: 0x05, equal: 0x15, atLeast: 0x35, answer: 0x06 };
const allow = 0x7fff0000;
const kill = 0x80000000;
const failed = (errno) => 0x00050000 | errno;
const actions = { allow, EPERM: failed(1), ENOSYS: failed(38), EOPNOTSUPP: failed(95), done: failed(0) };

/** struct seccomp_data, little-endian as all three processors are. */
const offset = { number: 0, processor: 4, low: (argument) => 16 + 8 * argument, high: (argument) => 20 + 8 * argument };

/** Instructions with labels where they jump to; a label is any object. */
class Program {
  steps = [];
  places = new Map();

  add(operation, value = 0, yes = null, no = null) {
    this.steps.push({ operation, value, yes, no });
  }

  /** The next instruction is where this label leads to. */
  at(label) {
    this.places.set(label, this.steps.length);
  }

  /** A conditional jump reaches 255 instructions; what lies further gets an unconditional one beside it. */
  link() {
    const far = new Set();
    for (;;) {
      const starts = [];
      let length = 0;
      for (const index of this.steps.keys()) {
        starts[index] = length;
        length += 1 + ['yes', 'no'].filter((way) => far.has(`${index} ${way}`)).length;
      }
      starts.push(length);
      const more = this.steps.flatMap(({ operation, yes, no }, index) =>
        operation === 'equal' || operation === 'atLeast'
          ? Object.entries({ yes, no }).flatMap(([way, label]) =>
              label !== null && starts[this.places.get(label)] - starts[index] - 1 > 250 && !far.has(`${index} ${way}`)
                ? [`${index} ${way}`]
                : [],
            )
          : [],
      );
      if (more.length === 0) return this.write(starts, far);
      for (const each of more) far.add(each);
    }
  }

  write(starts, far) {
    const out = [];
    for (const [index, { operation, value, yes, no }] of this.steps.entries()) {
      const here = starts[index];
      const to = (label) => (label === null ? starts[index + 1] : starts[this.places.get(label)]);
      if (operation === 'jump') out.push([code.jump, 0, 0, to(yes) - here - 1]);
      else if (operation === 'equal' || operation === 'atLeast') {
        const ways = ['no', 'yes'].filter((way) => far.has(`${index} ${way}`));
        const short = (way, label) => (ways.includes(way) ? ways.indexOf(way) : to(label) - here - 1);
        out.push([code[operation], short('yes', yes), short('no', no), value]);
        for (const [after, way] of ways.entries())
          out.push([code.jump, 0, 0, to(way === 'yes' ? yes : no) - here - 2 - after]);
      } else out.push([code[operation], 0, 0, value]);
    }
    if (out.length > 4096) throw new Error(`The kernel takes 4096 instructions but there are ${out.length}`);
    return out;
  }
}

/** Goes on after these conditions where all hold, else at `otherwise`. */
function addConditions(program, conditions, otherwise) {
  for (const { argument, wide, mask, values } of conditions) {
    const holds = {};
    if (wide) {
      // Values of the table have 32 bits.
      program.add('load', offset.high(argument));
      program.add('equal', 0, null, otherwise);
    }
    program.add('load', offset.low(argument));
    if (mask !== null) program.add('and', mask);
    for (const value of values.slice(0, -1)) program.add('equal', value, holds);
    program.add('equal', values.at(-1), null, otherwise);
    program.at(holds);
  }
}

function addRule(program, rule, answer) {
  for (const alternative of rule) {
    const next = {};
    addConditions(program, alternative.conditions, next);
    program.add('answer', answer(alternative.answer));
    program.at(next);
  }
  program.add('answer', answer('EPERM'));
}

function begin(processor) {
  const program = new Program();
  const own = {};
  program.add('load', offset.processor);
  program.add('equal', processors[processor].audit, own);
  program.add('answer', kill);
  program.at(own);
  program.add('load', offset.number);
  return program;
}

/**
 * The filter that a job starts with: every call gets its answer, numbers that the table has not ENOSYS, and the calls
 * of another processor, whose numbers mean something else, end the process.
 * @returns instructions as [code, jump if true, jump if false, value]; `self` is where the process's own number belongs
 */
export function firstFilter(table, processor) {
  const program = begin(processor);
  /** What calls with the same outcome share: the rule by its text. */
  const outcomes = new Map();
  const outcomeOf = (row) => {
    const rule = row?.rule ?? null;
    const verdict = row === undefined ? 'ENOSYS' : row.verdict === 'start' ? 'allow' : row.verdict;
    const key = rule === null ? verdict : JSON.stringify(rule);
    if (!outcomes.has(key)) outcomes.set(key, { rule, verdict });
    return outcomes.get(key);
  };
  const byNumber = new Map(table.map((row) => [row.numbers[processor], row]));
  const last = Math.max(...[...byNumber.keys()].filter((each) => each !== null));
  /** From which number on there is another outcome. */
  const ranges = [];
  for (let number = 0; number <= last + 1; number++) {
    const outcome = outcomeOf(byNumber.get(number));
    if (ranges.at(-1)?.outcome !== outcome) ranges.push({ first: number, outcome });
  }
  const addTree = (from, to) => {
    if (from === to) return program.add('jump', 0, ranges[from].outcome);
    if (to - from === 1) return program.add('atLeast', ranges[to].first, ranges[to].outcome, ranges[from].outcome);
    const middle = (from + to + 1) >> 1;
    const upper = {};
    program.add('atLeast', ranges[middle].first, upper);
    addTree(from, middle - 1);
    program.at(upper);
    return addTree(middle, to);
  };
  addTree(0, ranges.length - 1);
  for (const outcome of outcomes.values()) {
    program.at(outcome);
    if (outcome.rule === null) program.add('answer', actions[outcome.verdict]);
    else addRule(program, outcome.rule, (answer) => actions[answer]);
  }
  return program.link();
}

/** The filter that a job adds once its own code is loaded: what was only for its start is refused. */
export function secondFilter(table, processor) {
  const program = begin(processor);
  const refused = {};
  for (const { numbers, verdict } of table)
    if (verdict === 'start' && numbers[processor] !== null) program.add('equal', numbers[processor], refused);
  program.add('answer', actions.allow);
  program.at(refused);
  program.add('answer', actions.EPERM);
  return program.link();
}
