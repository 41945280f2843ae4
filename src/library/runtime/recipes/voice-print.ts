import { checkVoicePrint, type VoicePrint } from '../../contract/voice-print.ts';
import { moduleUrl } from '../../core/running-files.ts';
import type { TimeRange } from '../../core/time-range.ts';
import { badValue } from '../../core/checks/schema.ts';
import { mediaFile } from '../../tools/declare/inputs.ts';
import { createEngineWith } from '../engine/engine.ts';
import type { ToolSource } from '../engine/engine-types.ts';
import type { RunInput } from '../files/inputs.ts';
import type { OnProgress } from '../../core/progress/progress.ts';

/** Of which part of a recording a voice print is made. */
export interface VoicePrintOptions {
  /** Where the person speaks, in order. Default: the whole recording; of more than 3 minutes six parts of 30 s. */
  readonly ranges?: readonly TimeRange[];
  /** Speech that is needed at least, 2 to 60 seconds. Default 5, and 10 or more are better. */
  readonly leastSeconds?: number;
  /** Folder with model files. Default: the models' own default place. */
  readonly modelsDir?: string;
  /** Ends the work. Default: nothing does. */
  readonly signal?: AbortSignal;
  /** Called at most about ten times a second; `progress` never falls. Default: none. */
  readonly onProgress?: OnProgress;
}

const source: ToolSource = {
  tools: [
    {
      id: 'voice-print',
      slug: 'voice-print',
      inputs: { file: mediaFile() },
      parseOptions: (given) => given as Readonly<Record<string, unknown>>,
    },
  ],
  runModuleUrl: (id) => moduleUrl(`library/runtime/job/tasks/${id}`),
  preloadUrls: [],
};

/** `makeVoicePrint` of the library's surface. */
export async function makeVoicePrint(input: RunInput, options: VoicePrintOptions = {}): Promise<VoicePrint> {
  const { ranges, leastSeconds = 5, modelsDir, signal, onProgress } = options;
  if (!(leastSeconds >= 2 && leastSeconds <= 60)) throw badValue('leastSeconds', 'number from 2 to 60', leastSeconds);
  for (const [at, { startSeconds, endSeconds }] of (ranges ?? []).entries())
    if (!(startSeconds >= 0 && endSeconds > startSeconds && endSeconds < Infinity))
      throw badValue(`ranges[${at}]`, 'start of 0 or more, and an end behind it', [startSeconds, endSeconds]);
  await using engine = createEngineWith(source, {
    concurrency: 1,
    ...(modelsDir === undefined ? {} : { modelsDir }),
  });
  const { result } = await engine.run(
    'voice-print',
    input,
    { leastSeconds, ...(ranges === undefined ? {} : { ranges }) },
    {
      ...(signal === undefined ? {} : { signal }),
      ...(onProgress === undefined ? {} : { onProgress }),
    },
  );
  return checkVoicePrint(result['print']);
}
