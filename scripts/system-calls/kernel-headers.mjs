// Looks up in the kernel's headers, where a machine has them, whether the table knows every call.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Calls with 64 bits of time for processors of 32 bits; the generic header lists them for all. */
const isOf32Bits = (number) => number >= 403 && number <= 423;

const numbersIn = (text) =>
  [...text.matchAll(/^#define __NR(?:3264)?_(\w+)\s+(\d+)\s*$/gm)]
    .map(([, name, number]) => ({ name, number: Number(number) }))
    .filter(({ name, number }) => !/^(?:arch_specific_syscall|syscalls)$/.test(name) && !isOf32Bits(number));

/** Which header numbers calls as which processor does. */
const headers = [
  {
    processor: 'x64',
    within: /^(?:x86_64-linux-gnu\/)?asm$/,
    file: 'unistd_64.h',
    marked: /__x86_64__|_ASM_(?:X86_)?UNISTD_64_H/,
  },
  { processor: 'arm64', within: /^asm-generic$/, file: 'unistd.h', marked: /__NR_io_setup 0\b/ },
];

function readAll(include, { within, file, marked }) {
  const folders = ['', ...readdirSync(include)].flatMap((each) =>
    each === '' ? ['asm', 'asm-generic'] : [`${each}/asm`],
  );
  return folders
    .filter((folder) => within.test(folder))
    .flatMap((folder) => {
      try {
        return [readFileSync(join(include, folder, file), 'utf8')];
      } catch {
        return [];
      }
    })
    .filter((text) => marked.test(text));
}

/**
 * @param table of readTable
 * @param [include] where headers are
 * @returns a line for each call of this machine's headers that the table has not, or by another name or number;
 *   none where there are no headers
 */
export function missingCalls(table, include = '/usr/include') {
  try {
    return headers.flatMap((header) => {
      const names = new Map(table.map(({ name, numbers }) => [numbers[header.processor], name]));
      return readAll(include, header)
        .flatMap(numbersIn)
        .filter(({ name, number }) =>
          // In the generic header some have the name of the call of 32 bits.
          header.processor === 'x64' ? names.get(number) !== name : !names.has(number),
        )
        .map(({ name, number }) => `${name}, ${number} on ${header.processor}`);
    });
  } catch {
    return [];
  }
}
