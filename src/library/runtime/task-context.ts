import { mediaFile } from '../tools/declare/inputs.ts';
import type { RunContext } from '../tools/declare/run.ts';

// What a task gets that is no tool: the service's own looks at a file.
/** Every task looks at one file, whatever it is. */
export const taskInputs = { file: mediaFile({ needs: 'any', title: 'File' }) };

export type FileTaskContext = RunContext<object, typeof taskInputs>;
