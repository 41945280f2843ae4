// Errors as people at a terminal read them.
import { expect, it } from 'vitest';
import { errorLine } from '../../src/cli/terminal/error-line.ts';
import { memoryExceeded, timeExceeded } from '../../src/library/runtime/job/limit-errors.ts';

it.each([
  [
    memoryExceeded(2 ** 31, null),
    'earshot: talk.wav: The job needed more than its limit of 2048 MiB of memory. Use a shorter file or ' +
      "split it. Half of the machine's memory is divided among --jobs: fewer jobs give each run more.",
  ],
  [
    timeExceeded(21_600),
    'earshot: talk.wav: The job needed more than its limit of 21600 s of time. Use a shorter file or split it.',
  ],
])('a run that met a bound says what a terminal can do about it: %s', (error, line) => {
  expect(errorLine(error, 'talk.wav')).toBe(line);
});
