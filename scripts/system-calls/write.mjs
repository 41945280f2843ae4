// Writes native/generated/system-calls.inc, which the launcher and the addon are compiled with: the filters of system
// calls for each processor, and what `--try` attempts. Part of every build of the native parts; by itself: node
// write.mjs.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { attemptsFor } from './attempts.mjs';
import { missingCalls } from './kernel-headers.mjs';
import { firstFilter, secondFilter } from './program.mjs';
import { processors, readTable, self } from './table.mjs';

const hex = (value) => `0x${value.toString(16)}`;
const asArray = (name, type, lines) => `static const struct ${type} ${name}[] = {\n  ${lines.join('\n  ')}\n};`;
const filter = (name, program) =>
  asArray(
    name,
    'sock_filter',
    program.map(([code, yes, no, value]) => `{${hex(code)}, ${yes}, ${no}, ${hex(value)}u},`),
  );

function forProcessor(table, processor) {
  const { audit, defined } = processors[processor];
  const attempts = attemptsFor(table, processor).map(
    ({ name, number, given, errno }) =>
      `{"${name}", ${number}, {${given.map((each) => `${hex(each)}u`).join(', ')}}, ${errno}},`,
  );
  return [
    `#if ${defined}`,
    `#define FILTERED_PROCESSOR ${hex(audit)}u`,
    '#ifdef WITH_FIRST_FILTER',
    filter('first_filter', firstFilter(table, processor)),
    '#endif',
    '#ifdef WITH_SECOND_FILTER',
    filter('second_filter', secondFilter(table, processor)),
    '#endif',
    '#ifdef WITH_ATTEMPTS',
    asArray('call_attempts', 'call_attempt', attempts),
    '#endif',
    '#endif',
  ].join('\n');
}

/** @returns the text of the file */
export const systemCalls = (table) =>
  [
    '// Generated from native/confine/system-calls.tsv by scripts/system-calls. Not for editing.',
    `enum { kSelf = ${hex(self)} };`,
    ...Object.keys(processors).map((processor) => forProcessor(table, processor)),
    '',
  ].join('\n');

/**
 * @param root the package
 * @throws Error when the table is wrong, or in a checkout lacks a call of this machine's kernel headers
 */
export function writeSystemCalls(root) {
  const table = readTable(root);
  const missing = missingCalls(table);
  if (missing.length > 0) {
    const says = `native/confine/system-calls.tsv lacks calls of this machine's kernel headers: ${missing.join('; ')}`;
    // Those who install a package cannot add a row, and need not: what is in no row is answered ENOSYS.
    if (existsSync(join(root, 'test'))) throw new Error(`${says}. Add a row for each, with a verdict.`);
    console.error(`earshot: ${says}; jobs are told that they do not exist`);
  }
  const folder = join(root, 'native/generated');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'system-calls.inc'), systemCalls(table));
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeSystemCalls(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
