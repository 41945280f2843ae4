/**
 * Earshot in a browser's tab: the same tools on files of the page, by WebAssembly in workers. Nothing is uploaded.
 */
export {
  createEngine,
  type TabEngine,
  type TabEngineOptions,
  type TabInput,
  type TabRun,
  type TabRunOptions,
} from './browser/page/engine.ts';
export type { TabModel, TabModels } from './browser/page/models.ts';
export type { TabOutput } from './browser/messages.ts';
export { EarshotError } from './library/core/errors/errors.ts';
export { AbortError } from './library/core/abort.ts';
export type { Progress, Warning } from './library/core/progress/progress.ts';
