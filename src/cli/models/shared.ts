import { isAbortError } from '../../library/core/abort.ts';
import { installCommand, type ModelCheck } from '../../library/models/installed.ts';
import type { Model } from '../../library/models/manifest.ts';
import type { ModelVariant } from '../../library/models/recogniser-files.ts';
import type { RecogniserSpeed } from '../../library/models/recogniser-speeds.ts';
import { createDisplay } from '../terminal/display.ts';
import { exitCodeOf, exitCodes, type ExitCode } from '../terminal/exit.ts';

export interface ModelsFlags {
  readonly modelsDir?: string;
  readonly json?: boolean;
}

export interface AddFlags extends ModelsFlags {
  readonly variant: ModelVariant;
}

/** Below the names. */
export const indent = 27;
export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

export function speedText({ timesRealTime, cores }: RecogniserSpeed): string {
  const times = timesRealTime >= 10 ? timesRealTime.toFixed(0) : timesRealTime.toFixed(1);
  return `${times}x real time on ${cores === 1 ? 'one core' : `${cores} cores`}`;
}

export function hint(model: Model, { state, problems }: ModelCheck): string {
  if (state === 'installed') return '';
  return (
    '\n' +
    `${' '.repeat(indent)}${[...problems, `${state === 'broken' ? 'Repair' : 'Install'} it with: ${installCommand(model)}`].join('\n'.padEnd(indent + 1))}`
  );
}

export async function eachModel<One extends Pick<Model, 'id'>>(
  models: readonly One[],
  flags: ModelsFlags,
  work: (model: One, display: ReturnType<typeof createDisplay>) => Promise<boolean>,
): Promise<ExitCode> {
  const display = createDisplay({ json: flags.json ?? false });
  const codes: ExitCode[] = [];
  try {
    for (const model of models) {
      try {
        codes.push((await work(model, display)) ? exitCodes.ok : exitCodes.failed);
      } catch (thrown) {
        if (isAbortError(thrown))
          display.note('earshot: interrupted; partial downloads are kept, and the next install continues them');
        else display.error(model.id, thrown);
        codes.push(exitCodeOf(thrown));
        if (isAbortError(thrown)) break;
      }
    }
  } finally {
    display.close();
  }
  return codes.find((code) => code !== exitCodes.ok) ?? exitCodes.ok;
}
