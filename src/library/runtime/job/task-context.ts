import { mediaFile } from '../../tools/declare/inputs.ts';
import type { RunContext } from '../../tools/declare/run.ts';

// For the service's own checks of a file. Every task reads one file of any kind.
export const taskInputs = { file: mediaFile({ needs: 'any', title: 'File' }) };

export type FileTaskContext = RunContext<object, typeof taskInputs>;
