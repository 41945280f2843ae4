import { readFileSync } from 'node:fs';
import { EarshotError } from '../core/errors.ts';
import { closestName } from '../core/schema.ts';

/** One file of a model, as it lies in the models folder under `<model id>/<name>`. */
export interface ModelFile {
  readonly name: string;
  readonly bytes: number;
  /** Of the file itself, lower-case hex. */
  readonly sha256: string;
  /** Where its authors publish it: the file, or an archive that holds it under any folder. */
  readonly url: string;
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
  readonly files: readonly ModelFile[];
}

// The package's root is two levels up from src/models and from dist/models alike.
const manifestUrl = new URL('../../models/manifest.json', import.meta.url);

let read: readonly Model[] | undefined;

/** The models that this build knows, from models/manifest.json. */
export function knownModels(): readonly Model[] {
  read ??= (JSON.parse(readFileSync(manifestUrl, 'utf8')) as { readonly models: readonly Model[] }).models;
  return read;
}

/** @throws EarshotError bad_request naming the models there are */
export function requireModel(id: string, among: readonly Model[] = knownModels()): Model {
  const model = among.find((one) => one.id === id);
  if (model) return model;
  const expected = among.map((one) => one.id).join(', ');
  const closest = closestName(id, among.map((one) => one.id));
  throw new EarshotError('bad_request', `Unknown model ${id}; ${closest === undefined ? `expected one of ${expected}` : `did you mean ${closest}?`}`, {
    details: { field: 'model', expected, received: id },
  });
}

export const modelBytes = (model: Model): number => model.files.reduce((sum, file) => sum + file.bytes, 0);
