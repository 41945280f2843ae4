// The last measured speed of recognisers on this machine.
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { renameFile } from '../core/files/rename-file.ts';
import { usableCores } from '../core/machine/machine.ts';
import { join } from 'node:path';
import { cacheFolder } from './folders.ts';
import type { Model } from './manifest.ts';

export interface RecogniserSpeed {
  /** Seconds of speech read per second. */
  readonly timesRealTime: number;
  /** Cores used for the measurement. */
  readonly cores: number;
  /** ISO 8601. */
  readonly measuredAt: string;
}

const isSpeed = (value: unknown): value is RecogniserSpeed => {
  const { timesRealTime, cores, measuredAt } = (value ?? {}) as Record<string, unknown>;
  return typeof timesRealTime === 'number' && typeof cores === 'number' && typeof measuredAt === 'string';
};

/** For these very files on this kind of machine: a home folder may be shared by several. */
const pathOf = ({ id, files }: Model): string => {
  const kind = [id, ...files.map(({ sha256 }) => sha256), process.arch, cpus()[0]?.model, usableCores()];
  const name = createHash('sha256').update(JSON.stringify(kind)).digest('hex').slice(0, 32);
  return join(cacheFolder(), 'recogniser-speeds', `${name}.json`);
};

/** null if it was not measured on this machine. */
export async function knownSpeed(model: Model): Promise<RecogniserSpeed | null> {
  try {
    const value: unknown = JSON.parse(await readFile(pathOf(model), 'utf8'));
    return isSpeed(value) ? value : null;
  } catch {
    return null;
  }
}

/** Does nothing where nothing can be written. */
export async function rememberSpeed(model: Model, speed: RecogniserSpeed): Promise<void> {
  const path = pathOf(model);
  const partial = `${path}.${process.pid}`;
  try {
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(partial, JSON.stringify(speed));
    await renameFile(partial, path);
  } catch {
    await rm(partial, { force: true }).catch(() => undefined);
  }
}
