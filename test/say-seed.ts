// Prints once which cases this run of `npm test` has chosen: vitest's global set-up.
import type { TestProject } from 'vitest/node';

let isSaid = false;

export function setup({ config: { env } }: TestProject): void {
  if (isSaid || env['EARSHOT_TEST_CASES'] !== 'some') return;
  isSaid = true;
  console.log(
    `Cases by chance: EARSHOT_TEST_SEED=${env['EARSHOT_TEST_SEED']}; EARSHOT_TEST_CASES=all npm test runs all`,
  );
}
