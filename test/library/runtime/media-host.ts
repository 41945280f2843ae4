// The service's work on media over real job processes, in a folder of its own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { CheckOutcome, MediaWork, ToolRunOutcome } from '../../../src/library/contract/media-work.ts';
import type { ToolId } from '../../../src/library/contract/tool-ids.ts';
import type { JsonObject } from '../../../src/library/core/json.ts';
import type { Progress } from '../../../src/library/core/progress/progress.ts';
import { createMediaWork } from '../../../src/library/runtime/engine/media-work.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { voice } from '../../fixtures/media/signals.ts';

export const rate = 16_000;

/** Six seconds; what `object-without-extension` of every host holds. */
export const speech = voice(6 * rate, rate, 21);

const never = new AbortController().signal;

type Files = Readonly<Record<string, readonly (readonly [string, string])[]>>;

interface Control {
  readonly windowSeconds?: number;
  readonly maxSeconds?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export interface MediaHost {
  readonly root: string;
  path(name: string): string;
  /** @param files by field, pairs of the object's name in the folder and the name that the person gave */
  run(tool: ToolId, files: Files, options: JsonObject, control?: Control): Promise<ToolRunOutcome & { folder: string }>;
  check(name: string, filename?: string, contentType?: string): Promise<CheckOutcome>;
  /** Makes the peaks of one file of the folder into another. */
  peaks(name: string, into: string, signal?: AbortSignal): ReturnType<MediaWork['peaks']>;
}

/** Call at the top of a test file. */
export function useMediaWork(): MediaHost {
  const root = mkdtempSync(join(tmpdir(), 'earshot-work-'));
  const path = (name: string): string => join(root, name);
  let work: MediaWork;
  let runs = 0;
  beforeAll(() => {
    work = createMediaWork({
      jobSlots: 2,
      maxJobMemoryBytes: 2 ** 31,
      maxJobSeconds: 60,
      workDir: root,
      modelsDir: null,
    });
    writeWav(path('object-without-extension'), [speech], rate);
  });
  afterAll(async () => {
    await work.close();
    rmSync(root, { recursive: true, force: true });
  });
  return {
    root,
    path,
    async run(
      tool,
      files,
      options,
      { windowSeconds = null, signal = never, onProgress = () => undefined, ...rest } = {},
    ) {
      runs += 1;
      const folder = path(`out-${runs}`);
      const inputs = Object.fromEntries(
        Object.entries(files).map(([field, list]) => [field, list.map(([file, name]) => ({ path: path(file), name }))]),
      );
      const outcome = await work.run({
        ...rest,
        tool,
        inputs,
        options,
        windowSeconds,
        outputDir: folder,
        signal,
        onProgress,
      });
      return { folder, ...outcome };
    },
    check: (name, filename = name, contentType = 'application/octet-stream') =>
      work.check(path(name), filename, contentType, never),
    peaks: (name, into, signal = never) => work.peaks(path(name), path(into), signal),
  };
}
