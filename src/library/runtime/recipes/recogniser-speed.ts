import { usableMemoryBytes } from '../../core/machine/machine.ts';
import type { OnProgress } from '../../core/progress/progress.ts';
import { createEngineWith } from '../engine/engine.ts';
import type { ToolSource } from '../engine/engine-types.ts';
import { moduleUrl } from '../../core/running-files.ts';

const source: ToolSource = {
  tools: [
    {
      id: 'recogniser-speed',
      slug: 'recogniser-speed',
      inputs: {},
      parseOptions: (given) => given as Readonly<Record<string, unknown>>,
    },
  ],
  runModuleUrl: (id) => moduleUrl(`library/runtime/job/tasks/${id}`),
  preloadUrls: [],
};

/**
 * Measures a recogniser in its own process, with all cores and the memory of the machine: how many seconds of a
 * synthetic voice it reads per second, voice activity included.
 * @param recogniser see `findRecogniser`
 * @throws EarshotError tool_unavailable; AbortError
 */
export async function measureRecogniser(
  recogniser: string,
  {
    modelsDir,
    signal,
    onProgress,
  }: {
    readonly modelsDir: string | undefined;
    readonly signal: AbortSignal;
    readonly onProgress: OnProgress;
  },
): Promise<{ readonly timesRealTime: number; readonly cores: number }> {
  await using engine = createEngineWith(source, {
    concurrency: 1,
    maxJobMemoryBytes: usableMemoryBytes(),
    ...(modelsDir === undefined ? {} : { modelsDir }),
  });
  const { result } = await engine.run('recogniser-speed', {}, { recogniser }, { signal, onProgress });
  return result as { timesRealTime: number; cores: number };
}
