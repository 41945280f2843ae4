// A passage as a tool would make it, beside what it was, both equally loud: what is louder always sounds better.
import { stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import type { PassageFacts, PassageVersion } from '../../contract/passage-order.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { OnProgress, Warning } from '../../core/progress/progress.ts';
import { badValue } from '../../core/checks/schema.ts';
import type { AnyTool } from '../../tools/declare/define.ts';
import { tools } from '../../tools/registry.ts';
import type { UntypedEngine } from '../engine/engine-types.ts';
import { refusePlace } from '../files/work-folder.ts';

/** Which passage is previewed, and where it goes. */
export interface PreviewOptions {
  /** Start of the passage in the recording, seconds. Default 0. */
  readonly fromSeconds?: number;
  /** Length of the passage, 1 to 600 seconds; it ends with the recording. Default 20. */
  readonly seconds?: number;
  /**
   * How much before and after the passage the tool gets to know, 0 to 3600 seconds. Recordings of up to five minutes
   * are processed whole, as they always are by adjust_loudness. Default 60.
   */
  readonly contextSeconds?: number;
  /**
   * Beginning of the paths of the files, `<output>.before.wav` and `<output>.after.wav`; with the extension wav or flac
   * that of the files. Default: beside the recording, `<name>.<slug>`.
   */
  readonly output?: string;
  /**
   * Also write `<output>.ab.wav`: this many seconds as they were, the same as they become, and so on, with a quarter of
   * a second between them; 1 to 60. Default: none.
   */
  readonly alternateSeconds?: number;
  /** true: replaces existing files. Default: conflict. */
  readonly overwrite?: boolean;
  /** Ends the work; partial files are removed. Default: nothing does. */
  readonly signal?: AbortSignal;
  /** Gets the progress of the whole, which never falls. Default: none. */
  readonly onProgress?: OnProgress;
  /** Called for each warning of the tool as it comes up; the result holds all of them. Default: none. */
  readonly onWarning?: (warning: Warning) => void;
}

/** One of the two versions of a passage. */
export interface PreviewedVersion extends PassageVersion {
  /** Absolute path of its file. */
  readonly path: string;
}

/** A previewed passage. */
export interface Preview extends PassageFacts {
  /** Its public id. */
  readonly tool: string;
  readonly before: PreviewedVersion;
  readonly after: PreviewedVersion;
  /** The file that alternates; null: not wanted. */
  readonly alternatingPath: string | null;
  /** What the tool found out about what it got; its times count from the start of `processed`. */
  readonly result: JsonObject;
  /** Of the tool; their times count from the start of `processed`. */
  readonly warnings: readonly Warning[];
}

const formats = ['wav', 'flac'] as const;

/** @throws EarshotError bad_request for a tool without a passage to preview */
export function checkPreviewed({ id, preview }: AnyTool): void {
  if (preview !== null) return;
  const known = tools.flatMap((each) => (each.preview === null ? [] : [each.id])).join(', ');
  throw new EarshotError('bad_request', `Expected a tool that changes one recording but received ${id}`, {
    nextAction: `Preview one of ${known}.`,
    details: { field: 'tool', expected: known, received: id },
  });
}

/**
 * Makes and writes a passage before and after a tool: `previewTool` of the library's surface, for callers who learn at
 * run time which tool it is.
 * @param options parsed
 */
export async function previewUntyped(
  engine: UntypedEngine,
  tool: AnyTool,
  input: string,
  options: Readonly<Record<string, unknown>>,
  preview: PreviewOptions,
): Promise<Preview> {
  checkPreviewed(tool);
  const { signal, onProgress, onWarning, overwrite = false } = preview;
  const path = resolve(input);
  const passage = checkedPassage(preview);
  const { before, after, alternating, format } = await placesOf(tool, path, preview);
  const byRole: Readonly<Record<string, string>> = { before, after, ab: alternating ?? before };
  const [field = ''] = Object.keys(tool.inputs);
  const run = await engine.run(tool.id, { [field]: path }, options, {
    passage: { ...passage, format },
    outputDir: dirname(before),
    nameOutput: (usual) =>
      basename(byRole[/\.(before|after|ab)\.[^.]+\.[^.]+$/.exec(usual)?.[1] ?? 'before'] ?? before),
    overwrite,
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress }),
    ...(onWarning === undefined ? {} : { onWarning }),
  });
  const { preview: facts, ...result } = run.result as JsonObject & { readonly preview: unknown };
  const made = facts as PassageFacts;
  return {
    tool: tool.id,
    ...made,
    before: { path: before, ...made.before },
    after: { path: after, ...made.after },
    alternatingPath: alternating,
    result,
    warnings: run.warnings,
  };
}

/** @throws EarshotError bad_request */
function checkedPassage({ fromSeconds = 0, seconds = 20, contextSeconds = 60, ...rest }: PreviewOptions) {
  const { alternateSeconds = null } = rest;
  if (!(fromSeconds >= 0 && fromSeconds <= 1e7)) throw badValue('fromSeconds', 'number of at least 0', fromSeconds);
  if (!(seconds >= 1 && seconds <= 600)) throw badValue('seconds', 'number between 1 and 600', seconds);
  if (!(contextSeconds >= 0 && contextSeconds <= 3600))
    throw badValue('contextSeconds', 'number between 0 and 3600', contextSeconds);
  if (alternateSeconds !== null && !(alternateSeconds >= 1 && alternateSeconds <= 60))
    throw badValue('alternateSeconds', 'number between 1 and 60', alternateSeconds);
  return { fromSeconds, seconds, contextSeconds, alternateSeconds };
}

interface Places {
  readonly before: string;
  readonly after: string;
  readonly alternating: string | null;
  readonly format: (typeof formats)[number];
}

/** @throws EarshotError bad_request, not_found, conflict */
async function placesOf(
  tool: AnyTool,
  input: string,
  { output, alternateSeconds, overwrite = false }: PreviewOptions,
): Promise<Places> {
  const usual = `${basename(input, extname(input))}.${tool.slug}`;
  const given = output === undefined ? join(dirname(input), usual) : resolve(output);
  const isFolder =
    output !== undefined && (/[\\/]$/.test(output) || ((await stat(given).catch(() => null))?.isDirectory() ?? false));
  const path = isFolder ? join(given, usual) : given;
  const extension = extname(path).slice(1).toLowerCase();
  const named = formats.find((each) => each === extension);
  const stem = output !== undefined && named !== undefined ? path.slice(0, -extension.length - 1) : path;
  const format = named ?? 'wav';
  if (!((await stat(dirname(stem)).catch(() => null))?.isDirectory() ?? false))
    throw new EarshotError('not_found', `The folder ${dirname(stem)} for the output does not exist`, {
      details: { field: 'output', expected: 'existing folder', received: dirname(stem) },
    });
  const places = {
    before: `${stem}.before.${format}`,
    after: `${stem}.after.${format}`,
    alternating: alternateSeconds === undefined ? null : `${stem}.ab.${format}`,
    format,
  };
  for (const place of [places.before, places.after, places.alternating])
    if (place !== null) await refusePlace(place, [input], overwrite);
  return places;
}
