// Chains with a name: `earshot run house talk.wav`. They are in the files of presets, under "run" of their name.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { EarshotError } from '../library/core/errors/errors.ts';
import { pathError } from '../library/core/errors/file-errors.ts';
import { renameFileSync } from '../library/core/files/rename-file.ts';
import { shownName } from '../library/core/checks/names.ts';
import { badValue } from '../library/core/checks/schema.ts';
import { shortPath } from '../library/core/files/short-path.ts';
import { type Chain, planChain } from '../library/runtime/chains/chain.ts';
import { findRecipe, recipeChain, requireRecipe } from '../library/runtime/chains/recipes.ts';
import { findTool } from '../library/tools/registry.ts';
import { chainEntry, isSettings, presetFiles, readPresets, type Settings, wrong } from './tool/presets.ts';

/** Steps, or a recipe with its options; and the format of the sound. */
export type ChainPreset = { readonly format?: string } & (
  | { readonly steps: Chain['steps'] }
  | { readonly recipe: string; readonly options?: Readonly<Record<string, unknown>> }
);

/** A preset that was found. */
export interface FoundPreset {
  readonly name: string;
  /** Path of the file that has it. */
  readonly file: string;
  readonly preset: ChainPreset;
}

/** What files have under names, unchecked: the nearest file first; one of a name hides those behind it. */
function written(): ReadonlyMap<string, { readonly file: string; readonly value: unknown }> {
  const found = new Map<string, { file: string; value: unknown }>();
  for (const file of presetFiles().filter((each) => existsSync(each)))
    for (const [name, entries] of Object.entries(readPresets(file)))
      if (isSettings(entries) && entries[chainEntry] !== undefined && !found.has(name))
        found.set(name, { file, value: entries[chainEntry] });
  return found;
}

/** @throws EarshotError bad_request for a file that is no JSON */
export const presetNames = (): readonly string[] => [...written().keys()];

/**
 * The chain that is saved under a name; null: no chain has it.
 * @throws EarshotError bad_request when the chain, or the file that holds it, is wrong
 */
export function findChainPreset(name: string): FoundPreset | null {
  const found = written().get(name);
  return found === undefined ? null : { name, file: found.file, preset: checked(found.file, name, found.value) };
}

/**
 * The chain of a preset, which has its name.
 * @param files how many there are
 * @throws EarshotError bad_request, as of the recipe
 */
export const chainOfPreset = ({ name, preset }: Pick<FoundPreset, 'name' | 'preset'>, files: number): Chain =>
  'steps' in preset
    ? { name, steps: preset.steps }
    : { ...recipeChain(requireRecipe(preset.recipe), files, preset.options ?? {}, 'files'), name };

function checked(file: string, name: string, value: unknown): ChainPreset {
  const { steps, recipe, options, format, ...more } = isSettings(value) ? value : {};
  const [unknown] = Object.keys(more);
  const isWhole =
    (Array.isArray(steps) && recipe === undefined && options === undefined) ||
    (typeof recipe === 'string' && steps === undefined && (options === undefined || isSettings(options)));
  if (!isWhole || unknown !== undefined || !(format === undefined || typeof format === 'string'))
    throw wrong(
      file,
      `Expected {"steps": [...]} or {"recipe": "podcast", "options": {...}}, and "format" if need be, for ${chainEntry} ` +
        `of ${shownName(name)}${unknown === undefined ? '' : ` but it has ${shownName(unknown)}`}`,
    );
  return value as ChainPreset;
}

/**
 * Saves a chain under a name, in the nearest file; one of that name is replaced, its options of commands stay.
 * @returns path of the file
 * @throws EarshotError bad_request for a name that does not do, or a chain that is wrong
 */
export function saveChainPreset(name: string, preset: ChainPreset): string {
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(name))
    throw badValue('--save', 'up to 40 lower case letters, digits and hyphens', name.slice(0, 100));
  if (findRecipe(name) !== undefined || findTool(name) !== undefined)
    throw badValue('--save', 'another name than that of a recipe or a tool', name);
  if ('steps' in preset) planChain(chainOfPreset({ name, preset }, 1));
  const [file = ''] = presetFiles();
  const presets = existsSync(file) ? readPresets(file) : {};
  const before = presets[name];
  const entries: Settings = { ...(isSettings(before) ? before : {}), [chainEntry]: preset };
  try {
    mkdirSync(dirname(file), { recursive: true });
    const fresh = `${file}.${process.pid}.part`;
    writeFileSync(fresh, `${JSON.stringify({ ...presets, [name]: entries }, null, 2)}\n`);
    renameFileSync(fresh, file);
  } catch (thrown) {
    throw pathError(thrown, file, 'output');
  }
  return file;
}

/** In a few words, for lists. */
export const describePreset = ({ preset, file }: FoundPreset): string => {
  const what =
    'steps' in preset
      ? preset.steps.map(({ tool }) => findTool(tool)?.slug ?? tool).join(', ')
      : [
          preset.recipe,
          ...Object.entries(preset.options ?? {}).map(([option, value]) => `${option} ${String(value)}`),
        ].join(', ');
  return `${what}${preset.format === undefined ? '' : `, as ${preset.format}`} (${shortPath(file)})`;
};

/** There is no chain of a name that was given without files. */
export const noChainGiven = (): EarshotError =>
  new EarshotError('bad_request', 'Expected a chain and the files that it works on', {
    nextAction: 'earshot run --list shows what there is.',
  });
