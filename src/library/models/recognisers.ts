import { EarshotError } from '../core/errors/errors.ts';
import { shownName } from '../core/checks/names.ts';
import { addedId, addedModel, addedName } from './added-models.ts';
import { searchFolders } from './folders.ts';
import { parseHubName } from './hub-name.ts';
import { installCommand, locateChecked } from './installed.ts';
import { modelBytes, requireModel } from './manifest.ts';
import { type ModelVariant, networkNames, type RecogniserFamily } from './recogniser-files.ts';

/** A speech recogniser whose every file matches its hash. */
export interface RecogniserModel {
  /** whisper-base, or hf:owner/name. */
  readonly id: string;
  readonly title: string;
  readonly family: RecogniserFamily;
  readonly variant: ModelVariant;
  /** Total size of its files. */
  readonly bytes: number;
  /** Absolute paths of the networks. */
  readonly encoder: string;
  readonly decoder: string;
  /**
   * Absolute path of a description: config.json.
   * @throws TypeError for a name that the model does not have
   */
  path(name: string): string;
}

/** Included in the package earshot-models. */
export const defaultRecogniser = 'whisper-base';

/** The recogniser in EARSHOT_RECOGNISER, by default whisper-base. */
export const wantedRecogniser = (): string => process.env['EARSHOT_RECOGNISER'] || defaultRecogniser;

/**
 * The recogniser to use, its files checked against their hashes without keeping them in memory.
 * @param modelsDir see `searchFolders`
 * @param wanted whisper-base, or hf:owner/name of an added one; default EARSHOT_RECOGNISER, else whisper-base
 * @throws EarshotError bad_request for another name; tool_unavailable when it is missing or damaged, with the command
 *   that installs it
 */
export async function findRecogniser(
  modelsDir: string | undefined,
  wanted: string = wantedRecogniser(),
): Promise<RecogniserModel> {
  const folders = searchFolders(modelsDir);
  if (wanted === defaultRecogniser) {
    const model = requireModel(defaultRecogniser);
    for (const folder of folders) {
      const found = await locateChecked(model, folder);
      if (!found) continue;
      const [encoder, decoder] = networkNames('whisper', 'quantized').map((name) => found.path(name)) as [
        string,
        string,
      ];
      return {
        id: model.id,
        title: model.title,
        family: 'whisper',
        variant: 'quantized',
        bytes: modelBytes(model),
        encoder,
        decoder,
        path: (name) => found.path(name),
      };
    }
    throw unavailable(wanted, folders, `Run \`${installCommand(model)}\` and try again.`);
  }
  if (!wanted.startsWith('hf:'))
    throw new EarshotError(
      'bad_request',
      `Expected ${defaultRecogniser} or hf:<owner>/<name> as EARSHOT_RECOGNISER but received ${shownName(wanted)}`,
      { details: { field: 'EARSHOT_RECOGNISER', received: shownName(wanted) } },
    );
  const id = addedId(parseHubName(wanted).name);
  for (const folder of folders) {
    const model = await addedModel(id, folder);
    const found = model && (await locateChecked(model, folder));
    if (!model || !found) continue;
    const [encoder, decoder] = networkNames(model.family, model.variant).map((name) => found.path(name)) as [
      string,
      string,
    ];
    return {
      id: addedName(model),
      title: model.title,
      family: model.family,
      variant: model.variant,
      bytes: modelBytes(model),
      encoder,
      decoder,
      path: (name) => found.path(name),
    };
  }
  throw unavailable(wanted, folders, `Run \`earshot models add ${wanted}\` and try again.`);
}

const unavailable = (wanted: string, folders: readonly string[], nextAction: string): EarshotError =>
  new EarshotError(
    'tool_unavailable',
    `Expected the recogniser ${wanted} in ${folders.join(' or ')} but it is missing`,
    {
      nextAction,
      details: { model: wanted },
    },
  );
