// A measure's figures, in a process of its own, with a variation of one source file or without.
import { spawn } from 'node:child_process';
import { availableParallelism, loadavg } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Figure } from './figures.ts';
import { root } from './source-constants.ts';
import type { Edit } from './variations.ts';

const preloads = ['vary.ts', 'networks.ts'].map((file) => `--import ${new URL(file, import.meta.url).href}`);
const kept = {
  EARSHOT_NETWORKS: `${root}build/constants/networks.sqlite`,
  NODE_COMPILE_CACHE: `${root}build/constants/compiled`,
};
const child = fileURLToPath(new URL('measure-one.ts', import.meta.url));
/** Variations may send a loop on for ever. */
export const longestMinutes = 10;

export interface Answer {
  readonly figures: readonly Figure[];
  readonly cpuSeconds: number;
}

/** @throws Error with what the process said */
export function measured(
  measure: string,
  file?: string,
  edits?: readonly Edit[],
  mostMinutes = longestMinutes,
): Promise<Answer> {
  const environment =
    file === undefined
      ? {}
      : { EARSHOT_VARIATION: JSON.stringify({ url: pathToFileURL(`${root}src/library/${file}`).href, edits }) };
  const options = [process.env['NODE_OPTIONS'] ?? '', ...preloads].join(' ').trim();
  // What others do on the machine is no fault of a variation.
  const crowded = Math.max(1, loadavg()[0]! / availableParallelism());
  return new Promise((resolve, reject) => {
    const run = spawn(process.execPath, [child, measure], {
      env: { ...process.env, ...environment, ...kept, NODE_OPTIONS: options },
      timeout: Math.round(mostMinutes * 60_000 * crowded),
    });
    let [out, error] = ['', ''];
    run.stdout.on('data', (text: Buffer) => (out += text.toString()));
    run.stderr.on('data', (text: Buffer) => (error += text.toString()));
    run.once('error', reject);
    run.once('close', (code) => {
      if (code === 0) resolve(JSON.parse(out) as Answer);
      else if (code === null) reject(new Error(`it takes over ${mostMinutes.toFixed(1)} min`));
      else
        reject(new Error(/(?:^|\n)(\w*Error[^\n]*)/u.exec(error)?.[1] ?? `ended with ${code}: ${error.slice(-500)}`));
    });
  });
}
