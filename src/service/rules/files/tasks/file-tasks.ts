import { createCheck } from './check.ts';
import { createImport } from './import.ts';
import type { FileTaskHandlers, FileTaskParts } from './parts.ts';
import { createPeaksTask } from './peaks.ts';
import { createSweep } from './sweep.ts';

export function createFileTasks(parts: FileTaskParts): FileTaskHandlers {
  return {
    checkFile: createCheck(parts),
    importFile: createImport(parts),
    makePeaks: createPeaksTask(parts),
    sweep: createSweep(parts),
  };
}
