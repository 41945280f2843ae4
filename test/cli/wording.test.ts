// Errors as people at a terminal read them.
import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { errorLine } from '../../src/cli/terminal/error-line.ts';
import { planDestinations } from '../../src/cli/tool/destination.ts';
import { requireTool } from '../../src/library/tools/registry.ts';
import { harmless } from '../../src/cli/terminal/values.ts';
import { EarshotError } from '../../src/library/core/errors/errors.ts';
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

it('names cannot move the cursor of a terminal', () => {
  const name = 'a\u001b[2Kb\u009b1m\rc\u202e.wav';
  expect(harmless(name)).toBe('a\\u{1b}[2Kb\\u{9b}1m\\u{d}c\\u{202e}.wav');
  expect(harmless('Grün 日本.wav\n\tend')).toBe('Grün 日本.wav\n\tend');
  expect(errorLine(new EarshotError('not_found', `There is no file at ${name}`), name)).not.toContain('\u001b');
});

it('the usual name of an output has no more bytes than a file system takes', () => {
  const name = `${'ü'.repeat(123)}.wav`;
  const [planned] = planDestinations({
    tool: requireTool('loudness'),
    inputs: [name],
    allInputs: [name],
    others: [],
    options: {},
    formats: undefined,
    output: undefined,
    existing: 'refuse',
  });
  expect(planned?.expected.map((path) => Buffer.byteLength(basename(path)))).toEqual([255]);
});
