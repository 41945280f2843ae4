// Models in the files of a run: fetched when the library looks for them. What fetches is loaded then.
import { EarshotError } from '../../library/core/errors/errors.ts';
import { files } from '../files/current.ts';

/** Where the library looks for models. */
export const modelsFolder = '/models';

/** What placed files were checked against, by path. */
const hashes = new Map<string, string>();

interface Source {
  /** Address of the folder of models; null: none was given. */
  readonly base: string | null;
  readonly signal: AbortSignal;
  /** Told before something is fetched. */
  onFetch(): void;
}

let source: Source | null = null;

export function useModels(given: Source): void {
  source = given;
}

/** What a placed file was checked against. */
export const hashOf = (path: string): string => hashes.get(path) ?? '';

/**
 * Puts a model's file where the library finds it.
 * @param path that the library looks at; others than those of models are left alone
 * @throws EarshotError tool_unavailable where it cannot be fetched; AbortError
 */
export async function placeFile(path: string): Promise<void> {
  const { base = null, signal, onFetch } = source ?? {};
  if (base === null || !path.startsWith(`${modelsFolder}/`) || files().exists(path)) return;
  const { addressOf, fetchFile, models } = await import('./kept.ts');
  for (const model of models)
    for (const file of model.files) {
      if (path !== `${modelsFolder}/${model.id}/${file.name}`) continue;
      onFetch?.();
      files().addInput(path, await fetchFile(addressOf(base, model, file), file, signal));
      hashes.set(path, file.sha256);
    }
}

/**
 * eSpeak NG: its program is loaded from its address, its voices are kept as models are.
 * @throws EarshotError tool_unavailable without it
 */
export async function importEspeak(): Promise<object> {
  const { base = null, signal, onFetch } = source ?? {};
  if (base === null)
    throw new EarshotError('tool_unavailable', 'Placing words needs eSpeak NG, whose address is not known', {
      nextAction: 'Say with `models` of createEngine where models are: docs/browser.md.',
    });
  const { addressOf, fetchFile, requireKept } = await import('./kept.ts');
  const model = requireKept('espeak-ng');
  const voices = model.files[0] as (typeof model.files)[number];
  onFetch?.();
  const blob = await fetchFile(addressOf(base, model, voices), voices, signal);
  const data = await blob.arrayBuffer();
  const url = new URL('espeak-ng.js', addressOf(base, model, voices)).href;
  const { default: create } = (await import(/* @vite-ignore */ url)) as {
    default: (options: object) => Promise<unknown>;
  };
  return { default: (options: object) => create({ ...options, getPreloadedPackage: () => data }) };
}
