// Runs tools as a program that embeds the library does, on the machine that its environment says. Prints a line of JSON
// for each run. Started by main.ts.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createUntypedEngine } from '../../src/library/runtime/engine/engine.ts';
import { usableCores, usableMemoryBytes } from '../../src/library/core/machine/machine.ts';
import { libraryRestBytes, shareOut } from '../../src/library/core/machine/sizing.ts';
import type { Files } from './files.ts';
import { watchPeaks } from './peaks.ts';
import { inputsOf } from './tools.ts';

export interface Cell {
  readonly tools: readonly string[];
  readonly files: Files;
  /** Every tool so often, one after the other. */
  readonly times: number;
  /** Does a process do several runs? */
  readonly reuse: boolean;
}

export interface CellRun {
  readonly tool: string;
  readonly boundMiB: number;
  readonly slots: number;
  readonly residentMiB: number;
  readonly reservedMiB: number;
  readonly threads: number;
  readonly seconds: number;
  /** null: it worked. */
  readonly error: { readonly code: string; readonly message: string } | null;
}

const cell = JSON.parse(process.argv[2] ?? '{}') as Cell;
const folder = mkdtempSync(join(tmpdir(), 'earshot-cell-'));
const machine = { cores: usableCores(), memoryBytes: usableMemoryBytes() };
const { slots, jobMemoryBytes } = shareOut(machine, libraryRestBytes);
const engine = createUntypedEngine({ tempDir: folder, ...(cell.reuse ? {} : { runsPerProcess: 1 }) });
const watch = watchPeaks();
try {
  for (const tool of cell.tools)
    for (let time = 0; time < cell.times; time += 1) {
      const startedAt = performance.now();
      const { inputs, options } = inputsOf(tool, cell.files);
      const error = await engine.run(tool, inputs, options, { outputDir: join(folder, 'out'), overwrite: true }).then(
        () => null,
        ({ code, message }: { readonly code?: string; readonly message: string }) => ({ code: code ?? '', message }),
      );
      const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
      const run: CellRun = {
        tool,
        boundMiB: Math.round(jobMemoryBytes / 2 ** 20),
        slots,
        ...watch.take(),
        seconds,
        error,
      };
      process.stdout.write(`${JSON.stringify(run)}\n`);
    }
} finally {
  watch.stop();
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
}
