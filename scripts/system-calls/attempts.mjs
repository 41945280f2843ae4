// What a job must not be able to call, as attempts: for `earshot-confine --try`, which `earshot doctor` and the tests
// start.
import { self } from './table.mjs';

const errnos = { EPERM: 1, ENOSYS: 38, EOPNOTSUPP: 95 };
/** A descriptor, address, number of a process or user that there is not. */
const none = 0xffffffff;
/**
 * Made by code that the kernel puts into a program: any other place that makes them is ended, before filters are asked.
 */
const ofKernel = ['uprobe', 'uretprobe'];
/** Tried with each call that is judged by its arguments. */
const mostForOne = 3;

const holds = ({ argument, wide, mask, values }, given) =>
  values.some((value) =>
    wide ? given[argument] === value : (mask === null ? given[argument] : (given[argument] & mask) >>> 0) === value,
  );

/** The answer of a rule to these arguments of 32 bits. */
const judge = (rule, given) =>
  rule.find(({ conditions }) => conditions.every((each) => holds(each, given)))?.answer ?? 'EPERM';

/** Arguments that the rule refuses: values beside those that it allows. */
function refusedArguments(rule) {
  const found = [];
  const used = [...new Set(rule.flatMap(({ conditions }) => conditions.map(({ argument }) => argument)))];
  const interesting = used.map((argument) => {
    const about = rule.flatMap(({ conditions }) => conditions.filter((each) => each.argument === argument));
    const values = about.flatMap(({ values: all, mask }) =>
      // In place of its own number: the first process.
      all.flatMap((value) => (value === self ? [1] : [value, (value ^ (mask ?? 0)) >>> 0, mask ?? value, value + 1])),
    );
    return [...new Set([...values, none])];
  });
  const combine = (at, given) => {
    if (at === used.length) {
      const answer = judge(rule, given);
      if (answer !== 'allow' && found.length < mostForOne) found.push({ given: [...given], answer });
      return;
    }
    for (const value of interesting[at]) combine(at + 1, given.with(used[at], value));
  };
  combine(0, Array(6).fill(none));
  return found;
}

/**
 * @returns for each call of a processor that is refused, always or by its arguments: { name, number, given, errno }.
 *   What is only for a job's start is among them: it is refused once that is over.
 */
export const attemptsFor = (table, processor) =>
  table.flatMap(({ name, numbers, verdict, rule }) => {
    const number = numbers[processor];
    if (number === null || verdict === 'allow' || verdict === 'done' || ofKernel.includes(name)) return [];
    const all = Array(6).fill(none);
    if (verdict === 'start') return [{ name: `call_${name}`, number, given: all, errno: errnos.EPERM }];
    if (rule === null) return [{ name: `call_${name}`, number, given: all, errno: errnos[verdict] }];
    return refusedArguments(rule).map(({ given, answer }, index) => ({
      name: `call_${name}_${index + 1}`,
      number,
      given,
      errno: errnos[answer],
    }));
  });
