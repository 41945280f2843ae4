import { createCheck } from './check.ts';
import { createImport } from './import.ts';
import type { FileTaskHandlers, FileTaskDeps } from './deps.ts';
import { createPeaksTask } from './peaks.ts';
import { createSweep, createSweepHere } from './sweep.ts';

export function createFileTasks(deps: FileTaskDeps): FileTaskHandlers {
  return {
    checkFile: createCheck(deps),
    importFile: createImport(deps),
    makePeaks: createPeaksTask(deps),
    sweep: createSweep(deps),
    sweepHere: createSweepHere(deps),
  };
}
