// Prints once which cases this run of `npm test` has chosen: vitest's global set-up.

let isSaid = false;

export function setup(): void {
  if (isSaid || process.env['EARSHOT_TEST_CASES'] === 'all') return;
  isSaid = true;
  console.log(
    `Cases by chance: EARSHOT_TEST_SEED=${process.env['EARSHOT_TEST_SEED']}; EARSHOT_TEST_CASES=all npm test runs all`,
  );
}
