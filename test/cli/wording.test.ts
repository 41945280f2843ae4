// Errors as people at a terminal read them.
import { expect, it } from 'vitest';
import { errorLine } from '../../src/cli/terminal/error-line.ts';
import { memoryExceeded, timeExceeded } from '../../src/library/runtime/limit-errors.ts';

it.each([
  [
    memoryExceeded(2 ** 31, null),
    'earshot: talk.wav: The job needed more than the 2048 MiB of memory that one run is given. Use a shorter file or ' +
      "split it. Half of the machine's memory is shared out over --jobs: fewer of them give each run more.",
  ],
  [
    timeExceeded(21_600),
    'earshot: talk.wav: The job needed more than the 21600 s of time that one run is given. Use a shorter file or split it.',
  ],
])('a run that met a bound says what a terminal can do about it: %s', (error, line) => {
  expect(errorLine(error, 'talk.wav')).toBe(line);
});
