import { readFileSync } from 'node:fs';
import { EarshotError } from '../core/errors.ts';
import { shownName, whatWasMeant } from '../core/names.ts';
import { packagePath } from '../core/running-files.ts';

/** One file of a model, as it lies in the models folder under `<model id>/<name>`. */
export interface ModelFile {
  /** May stand in a folder: onnx/encoder.onnx. */
  readonly name: string;
  readonly bytes: number;
  /** Of the file itself, lower-case hex. */
  readonly sha256: string;
  /**
   * Where its authors publish it: the file, or an archive that holds it under any folder. Files that were made from
   * what they publish have none: they come with the package earshot-models.
   */
  readonly url?: string;
  readonly archive?: 'tar.gz';
}

export interface Model {
  readonly id: string;
  readonly title: string;
  /** What it is for, one sentence. */
  readonly purpose: string;
  /** SPDX expression. */
  readonly licence: string;
  readonly homepage: string;
  /** Sample rates it takes, Hz. */
  readonly sampleRatesHz: readonly number[];
  /** How many languages a recogniser writes down. */
  readonly languages?: number;
  /** How its files were made. */
  readonly made?: string;
  readonly files: readonly ModelFile[];
  /** Brought by the user into a slot; its files have no URL. */
  readonly own?: true;
}

/** Beside the files of a model that no manifest knows: what it says of itself. */
export const recordName = 'model.json';

/** A place for a network that people bring themselves: see own-models.ts. */
export interface ModelSlot {
  readonly id: string;
  readonly title: string;
  readonly purpose: string;
  readonly sampleRatesHz: readonly number[];
  /** Its one file, under `<id>/` in the models folder. */
  readonly file: string;
  /** Names that its graph must have. */
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

/** Places for networks of one's own, from the same file. */
export const modelSlots = (): readonly ModelSlot[] => manifest().slots;

export const addCommand = (id: string): string => `earshot models add ${id} <file.onnx>`;

/** @throws EarshotError bad_request naming the places there are */
export function requireSlot(id: string): ModelSlot {
  const slot = modelSlots().find((one) => one.id === id);
  if (slot) return slot;
  const expected = modelSlots()
    .map((one) => one.id)
    .join(', ');
  throw new EarshotError(
    'bad_request',
    `Expected a place for a network of your own (${expected}) but received ${shownName(id)}`,
    {
      details: { field: 'model', expected, received: shownName(id) },
    },
  );
}

/** @throws EarshotError bad_request naming the models there are; tool_unavailable for a place for networks of one's own */
export function requireModel(id: string, among: readonly Model[] = knownModels()): Model {
  const model = among.find((one) => one.id === id);
  if (model) return model;
  if (modelSlots().some((one) => one.id === id)) {
    throw new EarshotError(
      'tool_unavailable',
      `${id} is a place for a network of your own: there is nothing to download`,
      { nextAction: `Run \`${addCommand(id)}\`.`, details: { model: id } },
    );
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
