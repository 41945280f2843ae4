// Users' own networks for the manifest's slots: pinned by size and SHA-256 when they are added, and checked against the
// pin from then on.
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renameFile } from '../core/files/rename-file.ts';
import { EarshotError } from '../core/errors/errors.ts';
import { type Model, type ModelSlot, requireSlot } from './manifest.ts';
import { readChecked, type VerifiedModel } from './installed.ts';
import { readOnnx, valueName } from './onnx-graph.ts';

const pinName = 'pin.json';
/** The size limit of ONNX files, as protobuf messages. */
const mostBytes = 2 ** 31 - 1;

interface Pin {
  readonly bytes: number;
  readonly sha256: string;
}

const isPin = (value: unknown): value is Pin => {
  const { bytes, sha256 } = (value ?? {}) as Record<string, unknown>;
  return Number.isSafeInteger(bytes) && typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256);
};

const describe = ({ id, title, purpose, sampleRatesHz, file }: ModelSlot, { bytes, sha256 }: Pin): Model => ({
  id,
  title,
  purpose,
  licence: 'unknown (your own network)',
  homepage: '',
  sampleRatesHz,
  own: true,
  files: [{ name: file, bytes, sha256, url: '' }],
});

/**
 * The network in a slot as a model; null for an empty slot.
 * @throws EarshotError tool_unavailable for an unreadable pin
 */
export async function ownModel(slot: ModelSlot, folder: string): Promise<Model | null> {
  const path = join(folder, slot.id, pinName);
  const text = await readFile(path, 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT' || thrown.code === 'ENOTDIR') return null;
    throw thrown;
  });
  if (text === null) return null;
  let pin: unknown;
  try {
    pin = JSON.parse(text);
  } catch {
    pin = null;
  }
  if (!isPin(pin))
    throw new EarshotError(
      'tool_unavailable',
      `Expected size and SHA-256 of the model ${slot.id} in ${path} but it is damaged`,
      { nextAction: 'Add the network again.', details: { model: slot.id } },
    );
  return describe(slot, pin);
}

/**
 * Reads the network in a slot and checks every byte against its pin.
 * @returns null for an empty slot
 * @throws EarshotError tool_unavailable naming the model when its bytes are not the pinned ones
 */
export async function readOwnModel(id: string, folder: string): Promise<VerifiedModel | null> {
  const model = await ownModel(requireSlot(id), folder);
  if (!model) return null;
  const read = await readChecked(model, folder);
  if (!read)
    throw new EarshotError(
      'tool_unavailable',
      `Expected the model ${id} in ${join(folder, id)} but its file is missing`,
      {
        nextAction: 'Add the network again.',
        details: { model: id },
      },
    );
  return read;
}

/** Checks the names in a graph, before any native code sees it. */
function requireNames({ inputs, outputs }: ModelSlot, bytes: Uint8Array, path: string): void {
  let has: { inputs: string[]; outputs: string[] };
  try {
    const graph = readOnnx(bytes);
    has = { inputs: graph.inputs.map(valueName), outputs: graph.outputs.map(valueName) };
  } catch (thrown) {
    throw new EarshotError('unsupported_format', `Expected an ONNX file but ${path} is not one`, { cause: thrown });
  }
  for (const [kind, wanted] of [
    ['inputs', inputs],
    ['outputs', outputs],
  ] as const) {
    const missing = wanted.filter((name) => !has[kind].includes(name));
    if (missing.length > 0)
      throw new EarshotError(
        'unsupported_format',
        `Expected ${kind} named ${wanted.join(', ')} but the network in ${path} has ` +
          (has[kind].slice(0, 10).join(', ') || 'none'),
        { nextAction: 'See docs/models.md for the requirements.' },
      );
  }
}

/**
 * Puts a network into its slot, replacing an earlier one: checked, tried, pinned, and moved there by one rename.
 * @param tryOut runs it once and throws when it is not fit for the slot
 * @throws EarshotError not_found, unsupported_format, limit_exceeded
 */
export async function addOwnModel(
  slot: ModelSlot,
  path: string,
  folder: string,
  tryOut: (model: VerifiedModel) => Promise<void>,
): Promise<Model> {
  const found = await stat(path).catch(() => null);
  if (!found?.isFile()) throw new EarshotError('not_found', `There is no file ${path}`);
  if (found.size > mostBytes)
    throw new EarshotError('limit_exceeded', `Expected at most ${mostBytes} bytes but ${path} has ${found.size}`);
  const bytes = new Uint8Array(await readFile(path));
  requireNames(slot, bytes, path);
  const pin: Pin = { bytes: bytes.byteLength, sha256: createHash('sha256').update(bytes).digest('hex') };
  const model = describe(slot, pin);
  await tryOut({ model, file: () => bytes });
  await mkdir(folder, { recursive: true });
  const [staging, old] = [
    join(folder, `.${slot.id}.adding-${process.pid}`),
    join(folder, `.${slot.id}.old-${process.pid}`),
  ];
  try {
    await mkdir(staging);
    await writeFile(join(staging, slot.file), bytes, { flush: true });
    await writeFile(join(staging, pinName), `${JSON.stringify(pin)}\n`, { flush: true });
    await renameFile(join(folder, slot.id), old).catch((thrown: NodeJS.ErrnoException) => {
      if (thrown.code !== 'ENOENT') throw thrown;
    });
    await renameFile(staging, join(folder, slot.id));
  } finally {
    await rm(staging, { recursive: true, force: true });
    await rm(old, { recursive: true, force: true });
  }
  return model;
}
