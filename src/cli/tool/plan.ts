// `--dry-run`: what a command would do, without doing it.
import { formatClock } from '../../library/core/readable.ts';
import { extname } from 'node:path';
import { answersOnly } from '../../library/runtime/files/output-names.ts';
import { shortPath } from '../../library/core/files/short-path.ts';
import { existsSync } from 'node:fs';
import type { Plan } from '../../library/contract/tool-facts.ts';
import type { FilesByField, InputFacts } from '../../library/contract/tool-inputs.ts';
import type { AnyTool } from '../../library/tools/declare/define.ts';
import { inputName } from '../../library/tools/declare/inputs.ts';
import { optionFlag } from '../terminal/flag-names.ts';
import { terminalWords } from '../terminal/wording.ts';
import { table } from '../terminal/values.ts';
import { schemaProperties } from './flags.ts';
import type { Piece } from './pieces.ts';
import { isPipe, standardStream } from './standard-streams.ts';

/** The answer of --dry-run for one run: for programs, and as text. */
export interface DryRun {
  readonly value: {
    readonly tool: string;
    readonly inputs: FilesByField<string>;
    readonly options: Readonly<Record<string, unknown>>;
    /** null: the contents of standard input are not known in advance. */
    readonly plan: Plan | null;
    /** Absolute paths; empty for standard output, and for a tool without files. */
    readonly outputs: readonly string[];
    /** Does the result exist already and is kept? */
    readonly skipped: boolean;
  };
  readonly text: string;
  /** Code and sentence why the run would fail; null: it would not, as far as is known. */
  readonly refusal: Plan['refusals'][number] | null;
}

async function factsOf(tool: AnyTool, files: Piece['files']): Promise<FilesByField<InputFacts> | null> {
  if (Object.values(files).flat().some(isPipe)) return null;
  const { probe } = await import('../../library/media/read/probe.ts');
  const one = (path: string, isMedia: boolean): InputFacts =>
    !isMedia
      ? { format: extname(path).slice(1).toLowerCase(), durationSeconds: null, hasAudio: false, hasVideo: false }
      : probe(path);
  const facts = Object.entries(tool.inputs).map(
    ([field, { kind }]) => [field, (files[field] ?? []).map((path) => one(path, kind === 'media'))] as const,
  );
  return Object.fromEntries(facts);
}

const describeFile = (path: string, facts: InputFacts | undefined): string => {
  if (path === standardStream) return 'standard input';
  if (isPipe(path)) return `${path} (a pipe)`;
  if (facts === undefined) return path;
  const length = facts.durationSeconds === null ? '' : `, ${formatClock(facts.durationSeconds)}`;
  return `${path} (${facts.format}${length})`;
};

/** "--target podcast (default)". */
function describeOption(name: string, value: unknown, given: Readonly<Record<string, unknown>>): string {
  const flag = optionFlag(name);
  const typed =
    typeof value === 'boolean'
      ? value
        ? flag
        : flag.replace('--', '--no-')
      : `${flag} ${typeof value === 'string' ? value : JSON.stringify(value)}`;
  return Object.hasOwn(given, name) ? typed : `${typed} (default)`;
}

function describeOutput(
  { formats }: AnyTool,
  { destination, files }: Piece,
  options: Readonly<Record<string, unknown>>,
): string[] {
  if (destination.toStandardOutput) return ['standard output'];
  const isKnown =
    formats !== undefined || options['format'] !== undefined || (options['output_format'] ?? 'same') !== 'same';
  if (!isKnown && destination.control.output === undefined && isPipe(Object.values(files).flat()[0] ?? ''))
    return destination.expected.map((path) => `${shortPath(path)}, with the extension of its format`);
  if (destination.isThere) return destination.expected.map((path) => `${shortPath(path)} exists and is kept: skipped`);
  return destination.expected.map((path) => `${shortPath(path)}${existsSync(path) ? ' is replaced' : ''}`);
}

/** A label before the first of several values. */
const labelled = (label: string, values: readonly string[]): [string, string][] =>
  values.map((value, index) => [index === 0 ? label : '', value]);

/**
 * @param options parsed
 * @param given those that were typed or came from a preset
 * @throws EarshotError not_found, file_invalid and others for an unusable input
 */
export async function dryRun(
  tool: AnyTool,
  piece: Piece,
  options: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, unknown>>,
): Promise<DryRun> {
  const { resolveInputs } = await import('../../library/runtime/files/inputs.ts');
  const present = Object.fromEntries(Object.entries(piece.files).filter(([, files]) => files.length > 0));
  if (!Object.values(present).flat().includes(standardStream)) await resolveInputs(tool, present);
  const facts = await factsOf(tool, present);
  const plan = facts === null ? null : tool.plan(facts, options);
  const missing = await tool.unavailable();
  const refusals =
    missing === null ? (plan?.refusals ?? []) : [{ code: 'tool_unavailable' as const, message: missing.message }];
  const [refusal = null] = refusals;
  const values = schemaProperties(tool).filter(([name]) => options[name] !== undefined);
  const rows = [
    ...Object.entries(present).flatMap(([field, files]) =>
      labelled(
        inputName(field)
          .replaceAll('_', ' ')
          .replace(/^./, (letter) => letter.toUpperCase()),
        files.map((path, index) => describeFile(path, facts?.[field]?.[index])),
      ),
    ),
    ...labelled(
      'Options',
      values.map(([name]) => describeOption(name, options[name], given)),
    ),
    ...labelled(
      'Steps',
      plan === null ? ['depend on the contents of standard input or a pipe'] : plan.steps.map(terminalWords),
    ),
    ...labelled('Notes', (plan?.notes ?? []).map(terminalWords)),
    ...labelled(
      'Would fail',
      refusals.map(({ message }) => terminalWords(message)),
    ),
    ...labelled(
      'Output',
      answersOnly(tool, options) && piece.destination.resultPath === null
        ? ['a report']
        : describeOutput(tool, piece, options),
    ),
  ];
  return {
    value: {
      tool: tool.id,
      inputs: present,
      options,
      plan: plan && { ...plan, refusals },
      outputs: piece.destination.expected,
      skipped: piece.destination.isThere,
    },
    text: `${tool.slug} ${piece.subject}: ${tool.title}\n${table(rows)}`,
    refusal,
  };
}
