/**
 * Earshot as a library. Importing it loads nothing native: runs work in processes of their own, and what decodes in
 * this process is loaded when it is first called.
 */
export { createEngine, type Engine, type EngineOptions, type RunOptions, type ToolRun } from './runtime/engine.ts';
export type { RunInput, RunInputs } from './runtime/inputs.ts';
export type { OutputFile } from './runtime/work-folder.ts';
export { EarshotError, errorCatalogue, type ErrorCode, type ErrorDetails, type ErrorJson } from './core/errors.ts';
export { AbortError } from './core/abort.ts';
export type { OnProgress, Progress, Warning } from './core/progress.ts';
export type { JsonObject, JsonValue } from './core/json.ts';
export { toolIds, toolSlugs, type ToolId, type ToolSlug } from './contract/tool-ids.ts';
export { tools, type ToolOptionsById } from './tools/registry.ts';
export type { MediaFacts } from './media/facts.ts';
export type { PeaksOptions, WaveformPeaks } from './waveform/peaks.ts';
export type { RenderOptions } from './waveform/render.ts';

/** See `src/media/read/probe.ts`. */
export const probe: typeof import('./media/read/probe.ts').probe = async (path) =>
  (await import('./media/read/probe.ts')).probe(path);

/** See `src/waveform/peaks.ts`. */
export const peaks: typeof import('./waveform/peaks.ts').peaks = async (path, options) =>
  (await import('./waveform/peaks.ts')).peaks(path, options);

/** See `src/waveform/render.ts`. */
export const renderWaveform: typeof import('./waveform/render.ts').renderWaveform = async (waveform, options) =>
  (await import('./waveform/render.ts')).renderWaveform(waveform, options);
