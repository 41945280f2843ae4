// An engine that notes what it is asked for and writes a small file for each run.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EarshotError } from '../../../../src/library/core/errors/errors.ts';
import type { Engine, RunOptions, UntypedEngine } from '../../../../src/library/runtime/engine/engine-types.ts';

interface Call {
  readonly tool: string;
  readonly inputs: unknown;
  readonly options: unknown;
  readonly control: RunOptions;
}

/**
 * @param folder for runs without a destination
 * @param fail the tool whose runs fail
 * @param error with what
 */
export function notingEngine(
  folder: string,
  fail?: string,
  error = new EarshotError('no_audio', 'There is no sound'),
): Engine & { readonly calls: Call[] } {
  const calls: Call[] = [];
  const engine: UntypedEngine & { readonly calls: Call[] } = {
    calls,
    run(tool, inputs, options, control = {}) {
      calls.push({ tool, inputs, options, control });
      if (tool === fail) return Promise.reject(error);
      control.onProgress?.({ progress: 1, stage: 'done', estimatedSecondsLeft: 0 });
      const names = tool === 'transcribe_audio' ? ['x.srt', 'x.txt'] : ['x.wav'];
      const outputDir = control.outputDir ?? folder;
      mkdirSync(outputDir, { recursive: true });
      const outputs = names.map((filename) => {
        const path = join(outputDir, filename);
        const text = `made by ${tool}`;
        writeFileSync(path, text);
        const facts = {
          contentType: 'audio/wav',
          format: filename.slice(2),
          durationSeconds: 1,
          sizeBytes: text.length,
        };
        return { path, filename, ...facts, role: null, hasVideo: false, hasAudio: true, media: null };
      });
      return Promise.resolve({ tool, outputs, result: { tool }, warnings: [], processedSeconds: 1 });
    },
    stream: () => Promise.reject(new Error('not used')),
    samples: () => Promise.reject(new Error('not used')),
    close: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  return engine as unknown as Engine & { readonly calls: Call[] };
}
