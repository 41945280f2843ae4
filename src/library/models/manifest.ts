import { readFileSync } from 'node:fs';
import { EarshotError } from '../core/errors/errors.ts';
import { shownName, whatWasMeant } from '../core/checks/names.ts';
import { packagePath } from '../core/running-files.ts';

/** One file of a model, stored in the models folder as `<model id>/<name>`. */
export interface ModelFile {
  /** May include a folder: onnx/encoder.onnx. */
  readonly name: string;
  readonly bytes: number;
  /** Of the file itself, lower-case hex. */
  readonly sha256: string;
  /**
   * The authors' URL: of the file, or of an archive that holds it in any folder. Absent for files derived from
   * published ones: they come with the package earshot-models.
   */
  readonly url?: string;
  readonly archive?: 'tar.gz';
}

export interface Model {
  readonly id: string;
  readonly title: string;
  /** Its purpose in one sentence. */
  readonly purpose: string;
  /** SPDX expression. */
  readonly licence: string;
  readonly homepage: string;
  /** Sample rates it takes, Hz. */
  readonly sampleRatesHz: readonly number[];
  /** Number of languages of a recogniser. */
  readonly languages?: number;
  /** How its files were made. */
  readonly made?: string;
  readonly files: readonly ModelFile[];
  /** Provided by the user for a slot; its files have no URL. */
  readonly own?: true;
  /** Computed in a browser's tab too, by code of ours. */
  readonly runsInTab?: true;
}

/** Beside the files of a model outside the manifest: its description. */
export const recordName = 'model.json';

/** A slot for a user's own network: see own-models.ts. */
export interface ModelSlot {
  readonly id: string;
  readonly title: string;
  readonly purpose: string;
  readonly sampleRatesHz: readonly number[];
  /** Its only file, in `<id>/` in the models folder. */
  readonly file: string;
  /** Required names in its graph. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

interface Manifest {
  readonly models: readonly Model[];
  readonly slots: readonly ModelSlot[];
}

let read: Manifest | undefined;
const manifest = (): Manifest =>
  (read ??= JSON.parse(readFileSync(packagePath('models/manifest.json'), 'utf8')) as Manifest);

/** The models that this build can install and check, from models/manifest.json. */
export const knownModels = (): readonly Model[] => manifest().models;

/** Slots for users' own networks, from the same file. */
export const modelSlots = (): readonly ModelSlot[] => manifest().slots;

export const addCommand = (id: string): string => `earshot models add ${id} <file.onnx>`;

/** @throws EarshotError bad_request with the known slots */
export function requireSlot(id: string): ModelSlot {
  const slot = modelSlots().find((one) => one.id === id);
  if (slot) return slot;
  const expected = modelSlots()
    .map((one) => one.id)
    .join(', ');
  throw new EarshotError(
    'bad_request',
    `Expected a slot for your own network (${expected}) but received ${shownName(id)}`,
    {
      details: { field: 'model', expected, received: shownName(id) },
    },
  );
}

/** @throws EarshotError bad_request with the known models; tool_unavailable for a slot */
export function requireModel(id: string, among: readonly Model[] = knownModels()): Model {
  const model = among.find((one) => one.id === id);
  if (model) return model;
  if (modelSlots().some((one) => one.id === id)) {
    throw new EarshotError('tool_unavailable', `${id} is a slot for your own network: there is nothing to download`, {
      nextAction: `Run \`${addCommand(id)}\`.`,
      details: { model: id },
    });
  }
  const expected = among.map((one) => one.id).join(', ');
  const meant = whatWasMeant(
    id,
    among.map((one) => one.id),
  );
  throw new EarshotError('bad_request', `Unknown model ${shownName(id)}; ${meant}`, {
    details: { field: 'model', expected, received: shownName(id) },
  });
}

export const modelBytes = (model: Model): number => model.files.reduce((sum, file) => sum + file.bytes, 0);
