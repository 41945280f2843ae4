// Do the pages of docs/constants still say what a fresh run says? Measures as they are, no constant moved.
//     npm run bench:constants -- --check [--family hum,captions] [--write]   exit code 1 where a page differs
import type { Family } from './families.ts';
import { shown } from './figures.ts';
import { measured } from './measured.ts';
import { asText, readFigures, writePage } from './pages.ts';
import type { SourceConstant } from './source-constants.ts';

/** Lines of a page that a fresh run says otherwise: "was -> is". */
export function differing(page: string, fresh: string): string[] {
  const nameOf = (line: string): string => line.slice(0, line.lastIndexOf(': '));
  const before = new Map(page.split('\n').map((line) => [nameOf(line), line]));
  const after = new Map(fresh.split('\n').map((line) => [nameOf(line), line]));
  const names = [...new Set([...after.keys(), ...before.keys()])];
  return names
    .filter((name) => before.get(name) !== after.get(name))
    .map((name) => `${before.get(name) ?? '(not there)'} -> ${after.get(name) ?? '(gone)'}`);
}

export async function checkPages(
  families: readonly Family[],
  constants: readonly SourceConstant[],
  write: boolean,
): Promise<void> {
  const stale: string[] = [];
  for (const family of families) {
    if (family.measure === null) continue;
    const begun = Date.now();
    try {
      const { figures, cpuSeconds } = await measured(family.measure ?? family.id);
      const lines = differing(readFigures(family.id), asText(figures));
      console.log(`${family.id}: ${figures.map((one) => `${one.name} ${shown(one)}`).join(', ')}`);
      console.log(`  ${((Date.now() - begun) / 1000).toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of CPU`);
      for (const line of lines) console.log(`  ${line}`);
      if (lines.length > 0) stale.push(family.id);
      if (write && lines.length > 0) writePage(family, constants, { figures: asText(figures) });
    } catch (thrown) {
      console.log(`${family.id}: ${(thrown as Error).message}`);
      stale.push(family.id);
    }
  }
  console.log(stale.length === 0 ? 'Every page is as a fresh run.' : `${write ? 'Written' : 'Stale'}: ${stale.join()}`);
  if (stale.length > 0 && !write) process.exitCode = 1;
}
