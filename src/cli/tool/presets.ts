// Named sets of options: `--preset house`.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { homeFolder } from '../../library/core/files/home-folder.ts';
import { shownName, whatWasMeant } from '../../library/core/checks/names.ts';
import type { AnyTool } from '../../library/tools/declare/define.ts';
import { findTool, tools } from '../../library/tools/registry.ts';
import { optionFlag } from '../terminal/flag-names.ts';
import { schemaProperties, withInterfaceNames } from './flags.ts';

const presetFileName = 'earshot.presets.json';

/** The entry of a preset that is a chain, beside its commands. */
export const chainEntry = 'run';

/** The files with presets, the nearest first. EARSHOT_PRESETS names the only file instead. */
export function presetFiles(): string[] {
  const named = process.env['EARSHOT_PRESETS'];
  if (named !== undefined && named !== '') return [resolve(named)];
  const config = process.env['XDG_CONFIG_HOME'] ?? '';
  return [
    resolve(presetFileName),
    join(config === '' ? join(homeFolder(), '.config') : config, 'earshot', 'presets.json'),
  ];
}

export type Settings = Readonly<Record<string, unknown>>;

export const wrong = (file: string, message: string): EarshotError =>
  new EarshotError('bad_request', `${file}: ${message}`, {
    nextAction: 'Correct the file: {"<preset>": {"<command>": {"<option>": value}}}.',
  });

export const isSettings = (value: unknown): value is Settings =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function readPresets(file: string): Settings {
  let read: unknown;
  try {
    read = JSON.parse(readFileSync(file, 'utf8'));
  } catch (thrown) {
    throw wrong(file, `Expected JSON but ${(thrown as Error).message}`);
  }
  if (!isSettings(read)) throw wrong(file, 'Expected an object with a preset under each name');
  return read;
}

/** "target" and "--target" are the same option, as are "custom_lufs" and "custom-lufs". */
const flagOf = (typed: string): string => optionFlag(typed.replace(/^--/, '').replaceAll('-', '_'));

/** The options of a tool in a preset, under their own names. */
function optionsOf(file: string, preset: string, tool: AnyTool, settings: unknown): Record<string, unknown> {
  const place = `${preset}, ${tool.slug}`;
  if (!isSettings(settings)) throw wrong(file, `Expected an object with options for ${place}`);
  const names = new Map(
    schemaProperties(tool).flatMap(([name]) => [
      [optionFlag(name), name],
      [flagOf(name), name],
    ]),
  );
  return Object.fromEntries(
    Object.entries(settings).map(([typed, value]) => {
      const name = names.get(`--${typed.replace(/^--/, '').replaceAll('_', '-')}`) ?? names.get(flagOf(typed));
      if (name !== undefined) return [name, withInterfaceNames(value)];
      const known = schemaProperties(tool).map(([each]) => optionFlag(each).slice(2));
      throw wrong(file, `Unknown option ${shownName(typed)} for ${place}; ${whatWasMeant(typed, known)}`);
    }),
  );
}

/**
 * Typed options with those of the preset. A preset's option that requires another value than the typed one (custom-lufs
 * with target custom) is dropped.
 */
export function withPreset(
  tool: AnyTool,
  preset: Readonly<Record<string, unknown>>,
  typed: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const kept = Object.entries(preset).filter(([name]) => {
    const { field, values } = tool.optionRules[name] ?? {};
    if (field === undefined || !Object.hasOwn(typed, field)) return true;
    return values?.includes(String(typed[field])) ?? true;
  });
  return { ...Object.fromEntries(kept), ...typed };
}

/**
 * A preset's options for a tool. The nearest file with the preset counts.
 * @throws EarshotError bad_request where no file has it, it has no entry for the tool, or a file is invalid
 */
export function presetOptions(preset: string, tool: AnyTool): Record<string, unknown> {
  const files = presetFiles().filter((file) => existsSync(file));
  const known: string[] = [];
  for (const file of files) {
    const presets = readPresets(file);
    known.push(...Object.keys(presets));
    if (!Object.hasOwn(presets, preset)) continue;
    const byCommand = presets[preset];
    if (!isSettings(byCommand)) throw wrong(file, `Expected an object with commands for ${preset}`);
    const unknown = Object.keys(byCommand).find((name) => name !== chainEntry && findTool(name) === undefined);
    if (unknown !== undefined)
      throw wrong(
        file,
        `Unknown command ${shownName(unknown)} in ${preset}; expected ${tools.map(({ slug }) => slug).join(', ')}`,
      );
    const settings = byCommand[tool.slug] ?? byCommand[tool.id];
    if (settings === undefined)
      throw wrong(
        file,
        `The preset ${preset} has no options for ${tool.slug}, only for ${Object.keys(byCommand).join(', ')}`,
      );
    return optionsOf(file, preset, tool, settings);
  }
  const where = files.length === 0 ? presetFiles().join(' and ') : files.join(' and ');
  throw new EarshotError(
    'bad_request',
    files.length === 0
      ? `There are no presets: neither ${where.replace(' and ', ' nor ')} exists`
      : `There is no preset ${preset} in ${where}; there ${known.length === 1 ? 'is' : 'are'} ${known.join(', ')}`,
    { nextAction: `Write one: {"${preset}": {"${tool.slug}": {"<option>": value}}}.` },
  );
}
