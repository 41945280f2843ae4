// How long a run goes on after its abort: until `engine.run` has rejected and its process has ended.
//     node bench/tools/abort.ts [--runs=3]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEngine } from '../../src/index.ts';
import { machineLine, median, runs } from '../compare.ts';
import { benchFile } from '../media.ts';

const folder = mkdtempSync(join(tmpdir(), 'earshot-bench-'));
const input = benchFile('wav', 600);
const tools = ['adjust_loudness', 'remove_noise', 'enhance_voice', 'transcribe_audio', 'convert_audio'] as const;

console.log(`${machineLine()}\n\n| Aborted in the middle of | Bound | Until it has ended |\n|---|---|---|`);
try {
  for (const tool of tools) {
    const times: number[] = [];
    for (let run = 0; run < runs; run += 1) {
      const engine = createEngine({ runsPerProcess: 1 });
      const abort = new AbortController();
      let begun: () => void = () => undefined;
      const working = new Promise<void>((resolve) => (begun = resolve));
      const setting = {
        outputDir: join(folder, `${tool}-${run}`),
        signal: abort.signal,
        onProgress({ progress }: { readonly progress: number }) {
          if (progress > 0.05) begun();
        },
      };
      const ended =
        tool === 'convert_audio'
          ? engine.run(tool, input, { format: 'opus' }, setting)
          : engine.run(tool, input, {}, setting);
      ended.catch(() => undefined);
      await working;
      await sleep(50 * run);
      const abortedAt = performance.now();
      abort.abort();
      await ended.then(
        () => Promise.reject(new Error(`${tool} was done before its abort`)),
        () => undefined,
      );
      times.push(performance.now() - abortedAt);
      await engine.close();
    }
    console.log(`| ${tool} | 500 ms | ${median(times).toFixed(0)} ms, at most ${Math.max(...times).toFixed(0)} ms |`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
