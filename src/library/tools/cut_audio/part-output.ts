import { outputName, type OutputPlan } from '../../media/write/output.ts';
import type { RunOutput } from '../declare/run.ts';

/** A file of a cut, named after the input; one of several has its number. */
export const partOutput = (
  inputName: string,
  { format, contentType }: OutputPlan,
  { path, durationSeconds }: { readonly path: string; readonly durationSeconds: number },
  index: number,
  count: number,
): RunOutput => ({
  path,
  filename: outputName(inputName, format).replace(/(\.\w+)$/, `${count > 1 ? `-${index + 1}` : ''}$1`),
  contentType,
  format,
  durationSeconds,
  ...(count > 1 ? { role: `part-${index + 1}` } : {}),
});
