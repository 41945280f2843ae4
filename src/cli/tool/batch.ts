// Runs the runs of a command line: one, or a batch.
import { formatSeconds, withUnit } from '../../library/core/readable.ts';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { usableMemoryBytes } from '../../library/core/machine/machine.ts';
import { AbortError, isAbortError } from '../../library/core/abort.ts';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { pathError } from '../../library/core/errors/file-errors.ts';
import { shortPath } from '../../library/core/files/short-path.ts';
import type { Progress } from '../../library/core/progress/progress.ts';
import { createUntypedEngine } from '../../library/runtime/engine/engine.ts';
import type { RunOptions, ToolRun, UntypedEngine } from '../../library/runtime/engine/engine-types.ts';
import type { KnownVoice } from '../../library/contract/voice-print.ts';
import type { RunInput } from '../../library/runtime/files/inputs.ts';
import type { AlbumOptions } from '../../library/runtime/recipes/album.ts';
import type { TimelineFormat } from '../../library/timeline/form/timeline.ts';
import type { AdjustLoudnessOptions } from '../../library/tools/option-types.ts';
import type { AnyTool } from '../../library/tools/declare/define.ts';
import type { TranscribeAudioResult } from '../../library/tools/transcribe_audio/result.ts';
import type { Display } from '../terminal/display.ts';
import { errorLine } from '../terminal/error-line.ts';
import { exitCodeOf, exitCodes, type ExitCode } from '../terminal/exit.ts';
import { reporting } from '../terminal/failed.ts';
import { describeRun, describeStreamedRun } from '../terminal/report.ts';
import { describePart } from '../terminal/speech-report.ts';
import { columns } from '../terminal/values.ts';
import { filesAsMeant } from './typed-files.ts';
import { isFolder, isWrittenInto } from './destination.ts';
import { checkEnding } from './endings.ts';
import { expandInputs } from './expand-inputs.ts';
import { formatByName, formatOption, takesOneFile, typedInputs, typedOptions } from './flags.ts';
import { checkFlags, type CommonFlags, formatList, type Piece, planPieces, readJobs, soundTracks } from './pieces.ts';
import { planReports, writeReport } from './reports.ts';
import { rawForm, rawInput } from './raw.ts';
import { splitOf, withTitles } from './split.ts';
import { inputOf, standardStream, writeToStandardOutput } from './standard-streams.ts';
import { withEnds } from './typed-ends.ts';
import { rangesOfTimeline, timelineFormatsOf, writeTimelines } from './timelines.ts';

type Options = Readonly<Record<string, unknown>>;

/** The outcome of one run. */
interface Outcome {
  readonly code: ExitCode;
  readonly subject: string;
  readonly state: 'done' | 'failed' | 'skipped' | 'interrupted';
  /** What was made, or why nothing was. */
  readonly detail: string;
  readonly seconds: number;
}

interface Batch {
  readonly tool: AnyTool;
  readonly engine: UntypedEngine;
  readonly options: Options;
  readonly flags: CommonFlags;
  readonly signal: AbortSignal;
  readonly display: Display;
  /** Where the report of each piece goes. */
  readonly reports: ReadonlyMap<Piece, string>;
  readonly timelines: readonly TimelineFormat[];
  /** Voices that the options name; null: none. */
  readonly knownVoices: readonly KnownVoice[] | null;
}

/** A command may use half of the memory, and 2 GiB per run where three quarters of the memory allow it. */
const jobMemoryBytes = (jobs: number): number => {
  const memory = usableMemoryBytes();
  return Math.max(Math.min(2 * 2 ** 30, 0.75 * memory), memory / 2) / jobs;
};

const longestDetail = 72;

export async function runBatch(
  tool: AnyTool,
  typedFiles: readonly string[],
  command: Command,
  signal: AbortSignal,
): Promise<ExitCode> {
  let flags = command.opts<CommonFlags>();
  const shown = {
    json: flags.json ?? false,
    quiet: flags.quiet ?? false,
    verbose: flags.verbose ?? false,
    aside: flags.output === '-',
  };
  const startedAt = performance.now();
  return reporting(shown, async (display) => {
    checkFlags(tool, flags);
    // The recogniser is chosen for all processes of this command.
    if (flags.model !== undefined) process.env['EARSHOT_RECOGNISER'] = flags.model;
    const hasFormat = Object.hasOwn(typedOptions(command, tool), formatOption(tool)?.[0] ?? '');
    const meant = filesAsMeant(tool, typedFiles, flags.output, hasFormat);
    if (meant.output !== undefined) flags = { ...flags, output: meant.output };
    const expanded = expandInputs(meant.files);
    const files = expanded.map(({ path }) => path);
    const typed = await withEnds(typedOptions(command, tool), files);
    const named = formatByOutput(tool, files, typed, flags);
    const ranges = await rangesOfTimeline(files, typed, flags, display);
    const onProgress = (progress: Progress): void => display.progress(files[0] ?? '', progress);
    const split = await splitOf(files, typed, flags, signal, onProgress);
    const given = await givenOptions(tool, { ...typed, ...named, ...ranges, ...split?.options }, flags.preset);
    const parsed = tool.parseOptions(given, 'text');
    const options = flags.album === true ? await albumOptions(tool, files, parsed, signal, display) : parsed;
    checkOutput(tool, files, options, flags);
    const flagged = expandFlagged(typedInputs(command, tool));
    const planned = planPieces(
      tool,
      files,
      flagged,
      options,
      flags,
      expanded.map(({ folder }) => folder),
    );
    const pieces = split === null ? planned : planned.map((piece) => withTitles(piece, split.titles));
    const jobs = readJobs(flags.jobs);
    const reports = planReports(tool, pieces, flags);
    const timelines = timelineFormatsOf(pieces, flags);
    const knownVoices = await voicesOf(options);
    if (flags.dryRun) return await showPlans(tool, pieces, options, given, display);
    await using engine = createUntypedEngine({
      concurrency: jobs,
      maxJobMemoryBytes: jobMemoryBytes(jobs),
      ...(pieces.length > jobs ? {} : { runsPerProcess: 1 }),
    });
    const batch: Batch = { tool, engine, options, flags, signal, display, reports, timelines, knownVoices };
    const outcomes = await Promise.all(pieces.map((piece) => runPiece(piece, batch)));
    if (signal.aborted) throw new AbortError('Interrupted');
    if (outcomes.length === 1) return outcomes[0]?.code ?? exitCodes.ok;
    display.close();
    display.note(summary(outcomes, (performance.now() - startedAt) / 1000));
    return outcomes.every(({ code }) => code === exitCodes.ok) ? exitCodes.ok : exitCodes.failed;
  });
}

/** @throws EarshotError not_found for a name that was not added */
async function voicesOf({ voices }: Options & { readonly voices?: readonly string[] }): Promise<KnownVoice[] | null> {
  return voices === undefined ? null : (await import('./stored-voices.ts')).voicesFor(voices);
}

/** The options with the one gain of all files. */
async function albumOptions(
  tool: AnyTool,
  files: readonly string[],
  options: Options,
  signal: AbortSignal,
  display: Display,
): Promise<Options> {
  const {
    target,
    custom_lufs,
    gain_db: given,
  } = options as AdjustLoudnessOptions & { target?: AlbumOptions['target'] };
  if (given !== undefined || (target as string) === 'audiobook' || files.includes(standardStream))
    throw new EarshotError('bad_request', 'Expected files, and a target in LUFS, with --album', {
      nextAction: 'Leave out --gain-db, --target audiobook and -; a chapter of an audiobook is set on its own.',
    });
  const { measureAlbum } = await import('../../library/runtime/recipes/album.ts');
  const album = await measureAlbum(files, {
    signal,
    ...(target === undefined ? {} : { target }),
    ...(custom_lufs === undefined ? {} : { custom_lufs }),
    onProgress: (progress) => display.progress('album', { stage: 'measuring', progress, estimatedSecondsLeft: null }),
  });
  const { gainDb, integratedLufs, truePeakDbtp, targetLufs, limitedByPeak, seconds } = album;
  display.note(
    `album: ${files.length} files, ${formatSeconds(seconds)}, ${withUnit(integratedLufs, 'LUFS')}, true peak ` +
      `${withUnit(truePeakDbtp, 'dBTP')}: ${withUnit(gainDb, 'dB')} for each` +
      (limitedByPeak ? `; ${withUnit(targetLufs, 'LUFS')} would put the highest peak over -1 dBTP` : ''),
  );
  return tool.parseOptions({ ...options, gain_db: gainDb });
}

/** Files given by flags, with folders and patterns expanded. */
const expandFlagged = (
  flagged: Readonly<Record<string, string | readonly string[]>>,
): Record<string, readonly string[]> =>
  Object.fromEntries(
    Object.entries(flagged).map(([field, files]) => [field, expandInputs([files].flat()).map(({ path }) => path)]),
  );

/** The file that -o names; null: a folder, standard output, or nothing. */
function outputFile(tool: AnyTool, files: readonly string[], { output }: CommonFlags): string | null {
  if (output === undefined || output === standardStream) return null;
  return isFolder(output, takesOneFile(tool) ? files.length : 1) ? null : output;
}

/**
 * @throws EarshotError bad_request when the tool cannot write the format of -o's extension, or a flag contradicts it
 */
function checkOutput(tool: AnyTool, files: readonly string[], options: Options, flags: CommonFlags): void {
  const output = outputFile(tool, files, flags);
  if (output !== null && !isWrittenInto(output)) checkEnding(tool, options, formatList(flags), files[0], output);
}

/** The format of -o's extension. */
function formatByOutput(tool: AnyTool, files: readonly string[], typed: Options, flags: CommonFlags): Options {
  const output = outputFile(tool, files, flags);
  return output === null ? {} : formatByName(tool, typed, files[0], output);
}

async function givenOptions(tool: AnyTool, typed: Options, preset: string | undefined): Promise<Options> {
  if (preset === undefined) return typed;
  const { presetOptions, withPreset } = await import('./presets.ts');
  return withPreset(tool, presetOptions(preset, tool), typed);
}

async function showPlans(
  tool: AnyTool,
  pieces: readonly Piece[],
  options: Options,
  given: Options,
  display: Display,
): Promise<ExitCode> {
  const { dryRun } = await import('./plan.ts');
  const codes: ExitCode[] = [];
  for (const piece of pieces) {
    try {
      const { value, text, refusal } = await dryRun(tool, piece, options, given);
      display.plan(piece.subject, value, text);
      if (refusal) codes.push(exitCodeOf(new EarshotError(refusal.code, refusal.message)));
    } catch (thrown) {
      display.error(piece.subject, thrown);
      codes.push(exitCodeOf(thrown));
    }
  }
  return pieces.length === 1 ? (codes[0] ?? exitCodes.ok) : codes.length > 0 ? exitCodes.failed : exitCodes.ok;
}

async function runPiece(piece: Piece, batch: Batch): Promise<Outcome> {
  const { subject, destination } = piece;
  const { flags, display } = batch;
  const startedAt = performance.now();
  const outcome = (state: Outcome['state'], code: ExitCode, detail: string): Outcome => {
    const seconds = (performance.now() - startedAt) / 1000;
    return { subject, state, code, detail, seconds };
  };
  const skipped = (paths: readonly string[]): Outcome => {
    const there = paths.map((path) => shortPath(path)).join(', ');
    display.skipped(subject, paths, `earshot: ${subject}: skipped, ${there} is there`);
    return outcome('skipped', exitCodes.ok, `${there} is there`);
  };
  if (destination.isThere) return skipped(destination.expected);
  try {
    const control: RunOptions = {
      ...destination.control,
      ...soundTracks(flags),
      ...(batch.knownVoices === null ? {} : { knownVoices: batch.knownVoices }),
      signal: batch.signal,
      onProgress: (progress) => display.progress(subject, progress),
      onWarning: (warning) => display.warning(subject, warning),
      ...(flags.live ? { onPartial: (part) => display.part(subject, part, describePart(part)) } : {}),
    };
    const { detail, passed } = await (destination.toStandardOutput ? runAside : runHere)(piece, batch, control);
    return outcome('done', passed ? exitCodes.ok : exitCodes.failed, detail);
  } catch (thrown) {
    if (isAbortError(thrown)) return outcome('interrupted', exitCodes.interrupted, '');
    // The run chose a name that exists already, other than the expected one.
    const { code, details } = EarshotError.from(thrown);
    if (flags.skipExisting && code === 'conflict' && typeof details?.['path'] === 'string')
      return skipped([details['path']]);
    display.error(subject, thrown);
    const line = errorLine(thrown, subject).replace(/^earshot: /, '');
    return outcome('failed', exitCodeOf(thrown), line);
  }
}

/** What was made, for the summary, and did the recording meet what was asked? */
interface Done {
  readonly detail: string;
  readonly passed: boolean;
}

async function runHere(piece: Piece, batch: Batch, control: RunOptions): Promise<Done> {
  const { tool, engine, options, display } = batch;
  const { subject, destination } = piece;
  const run = await engine.run(tool.id, inputsOf(tool, piece, batch.flags), options, control);
  const resultPath = run.outputs.length === 0 ? destination.resultPath : null;
  if (resultPath !== null) await writeResult(resultPath, run, control.overwrite ?? false);
  const text = resultPath === null ? describeRun(subject, run) : `${subject} -> ${resultPath}`;
  const report = batch.reports.get(piece);
  if (report !== undefined) await writeReport(report, piece, run, batch);
  const timelines =
    batch.timelines.length === 0 ? [] : await writeTimelines(tool, piece, run, batch.timelines, batch.flags, display);
  const reported = [
    text,
    ...(report === undefined ? [] : [`  report: ${shortPath(report)}`]),
    ...timelines.map((path) => `  timeline: ${shortPath(path)}`),
  ].join('\n');
  const value = {
    ...run,
    ...(report === undefined ? {} : { report }),
    ...(timelines.length === 0 ? {} : { timelines }),
  };
  display.result(subject, value, reported, run.outputs.length === 0 && resultPath === null);
  if (tool.id === 'transcribe_audio' && process.stderr.isTTY && !batch.flags.quiet) {
    const { betterRecogniser } = await import('./better-recogniser.ts');
    const advice = await betterRecogniser(run.result as unknown as TranscribeAudioResult);
    if (advice !== null) display.note(advice);
  }
  const made = resultPath === null ? run.outputs.map(({ path }) => shortPath(path)).join(', ') : shortPath(resultPath);
  const isJudged = tool.passed !== undefined;
  return { detail: isJudged ? tool.inWords(run.result) : made, passed: tool.passed?.(run.result) ?? true };
}

async function runAside(
  piece: Piece,
  { tool, engine, options, flags, signal, display }: Batch,
  control: RunOptions,
): Promise<Done> {
  const { subject } = piece;
  const run = await engine.stream(tool.id, inputsOf(tool, piece, flags), options, control);
  // A bar would mix with the output where both are the same terminal.
  display.close();
  if (run.outputs.length === 0) process.stdout.write(`${JSON.stringify(run.result, null, 2)}\n`);
  else {
    const left = await writeToStandardOutput(run.outputs, signal);
    if (left.length > 0)
      display.warning(subject, { code: 'outputs_left_out', message: `Left out: ${left.join(', ')}` });
  }
  display.result(subject, run, describeStreamedRun(subject, run));
  return { detail: 'standard output', passed: tool.passed?.(run.result) ?? true };
}

const inputsOf = (tool: AnyTool, { files }: Piece, { raw }: CommonFlags): Record<string, readonly RunInput[]> =>
  Object.fromEntries(
    Object.entries(tool.inputs).map(([field, role]) => [
      field,
      (files[field] ?? []).map((file) =>
        raw === undefined || role.kind !== 'media' ? inputOf(file, role) : rawInput(file, rawForm(raw)),
      ),
    ]),
  );

async function writeResult(path: string, run: ToolRun<string>, overwrite: boolean): Promise<void> {
  await mkdir(dirname(resolve(path)), { recursive: true });
  const flag = overwrite || isWrittenInto(path) ? 'w' : 'wx';
  await writeFile(path, `${JSON.stringify(run.result, null, 2)}\n`, { flag }).catch((thrown: unknown) => {
    throw pathError(thrown, path, 'output');
  });
}

/** A line for each run, and the totals. */
function summary(outcomes: readonly Outcome[], seconds: number): string {
  const rows = outcomes.map(({ subject, state, detail, seconds: took }) => [
    subject,
    state,
    state === 'skipped' ? '' : formatSeconds(took),
    detail.length > longestDetail ? `${detail.slice(0, longestDetail - 3)}...` : detail,
  ]);
  const counts = (['done', 'failed', 'skipped'] as const)
    .map((state) => [state, outcomes.filter((each) => each.state === state).length] as const)
    .filter(([state, number]) => number > 0 || state !== 'skipped')
    .map(([state, number]) => `${number} ${state}`);
  return `\n${columns(['File', 'Result', 'Took', 'Output'], rows)}\n${counts.join(', ')} in ${formatSeconds(seconds)}`;
}
