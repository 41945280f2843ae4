import { constants } from 'node:fs';
import { copyFile, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { renameFile } from '../core/files/rename-file.ts';
import { throwIfAborted } from '../core/abort.ts';
import { isDiskFull } from '../core/errors/disk-full.ts';
import { EarshotError } from '../core/errors/errors.ts';
import { startMark } from '../core/machine/start-mark.ts';
import { takeFromTarGz } from './archive.ts';
import { discardPartial, diskFull, download, type DownloadOptions } from './download.ts';
import { checkModel, fileProblem, installCommand } from './installed.ts';
import { type Model, modelBytes, type ModelFile, recordName } from './manifest.ts';

export interface InstallOptions {
  readonly folder: string;
  /** Searched in order before anything is downloaded. */
  readonly mirrors: readonly string[];
  readonly signal?: AbortSignal;
  /** 0 to 1 of this model. */
  onProgress?(fraction: number, stage: string): void;
  /** For the user: a skipped mirror copy, a download that starts over. */
  onNote?(text: string): void;
  /** Written beside the files as model.json: the description of a model outside the manifest. */
  readonly record?: string;
  /** Sent with every request of a download. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For tests. */
  readonly download?: Pick<DownloadOptions, 'openWriter' | 'pausesMilliseconds'>;
}

export interface Installed {
  /** Where its files came from: 'present' when they were installed and correct already. */
  readonly from: 'present' | 'mirror' | 'download';
}

/** An archive holds more than what we take from it, and is compressed. */
const mostArchiveBytes = (model: Model): number => 4 * modelBytes(model) + 64 * 1024 * 1024;

/** Prevents two installs of one model at a time. Takes over the lock of a process that has ended. */
async function lock(path: string, id: string): Promise<() => Promise<void>> {
  for (let tries = 0; tries < 2; tries += 1) {
    try {
      const handle = await open(path, 'wx');
      await handle.writeFile(`${process.pid} ${startMark(process.pid)}`);
      await handle.close();
      return () => rm(path, { force: true });
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
      const [pid, mark] = (await readFile(path, 'utf8').catch(() => '')).split(' ');
      const holder = Number(pid);
      const running = holder > 0 && holder !== process.pid ? startMark(holder) : null;
      // Another process may have this pid by now. Locks of older versions have no start mark.
      if (running !== null && (mark === undefined || mark === running)) break;
      await rm(path, { force: true });
    }
  }
  throw new EarshotError('conflict', `Another process is installing ${id}`, { nextAction: 'Wait until it is done.' });
}

/** Copies every file from a mirror; false, with notes, when a mirror does not have all of them intact. */
async function takeFromMirror(
  model: Model,
  mirror: string,
  staging: string,
  options: InstallOptions,
): Promise<boolean> {
  const problems = await Promise.all(
    model.files.map((file) => fileProblem(join(mirror, model.id, file.name), file, 'hash', options.signal)),
  );
  if (problems.every((problem) => problem === 'missing')) return false;
  const wrong = problems.flatMap((problem, index) =>
    problem === null ? [] : [problem === 'missing' ? `${model.files[index]?.name} is missing` : problem],
  );
  if (wrong.length > 0) {
    options.onNote?.(`The copy in ${join(mirror, model.id)} is skipped: ${wrong.join('; ')}`);
    return false;
  }
  for (const [index, file] of model.files.entries()) {
    throwIfAborted(options.signal);
    await mkdir(dirname(join(staging, file.name)), { recursive: true });
    await copyFile(join(mirror, model.id, file.name), join(staging, file.name), constants.COPYFILE_EXCL);
    options.onProgress?.((index + 1) / model.files.length, 'copying');
  }
  return true;
}

/** Files by their URL. */
function byUrl(model: Model): [string, ModelFile[]][] {
  const groups = new Map<string, ModelFile[]>();
  for (const file of model.files) {
    const { url } = file;
    if (url === undefined)
      throw new EarshotError('tool_unavailable', `${model.id} cannot be downloaded in this form`, {
        nextAction: `Run \`${installCommand(model)}\`: the package contains its files.`,
        details: { model: model.id },
      });
    groups.set(url, [...(groups.get(url) ?? []), file]);
  }
  return [...groups];
}

async function fetchFiles(model: Model, partials: string, staging: string, options: InstallOptions): Promise<void> {
  const groups = byUrl(model);
  for (const [index, [url, files]] of groups.entries()) {
    const [first] = files as [ModelFile, ...ModelFile[]];
    const partial = join(partials, `${model.id}-${index}.part`);
    const fetchOnce = async (): Promise<string | null> => {
      await download(url, partial, {
        ...options.download,
        ...(options.headers ? { headers: options.headers } : {}),
        expectedBytes: first.archive ? null : first.bytes,
        mostBytes: first.archive ? mostArchiveBytes(model) : first.bytes,
        ...(options.signal ? { signal: options.signal } : {}),
        onProgress: (bytes, total) =>
          options.onProgress?.((index + (total ? bytes / total : 0)) / groups.length, 'downloading'),
      });
      if (first.archive) {
        for (const { name } of files) await rm(join(staging, name), { force: true });
        await takeFromTarGz(
          partial,
          files.map(({ name, bytes }) => ({ name, bytes, path: join(staging, name) })),
        );
      } else {
        await mkdir(dirname(join(staging, first.name)), { recursive: true });
        await copyFile(partial, join(staging, first.name));
      }
      for (const file of files) {
        const problem = await fileProblem(join(staging, file.name), file, 'hash', options.signal);
        if (problem !== null) return problem;
      }
      return null;
    };
    const unusable = (thrown: unknown): string => {
      if (thrown instanceof EarshotError && thrown.code === 'file_invalid') return thrown.message;
      throw thrown;
    };
    let problem = await fetchOnce().catch(unusable);
    if (problem !== null) {
      // A continued download may mix two versions; a fresh one cannot.
      await discardPartial(partial);
      options.onNote?.(`${problem}: downloading ${url} once more`);
      problem = await fetchOnce().catch(unusable);
    }
    await discardPartial(partial);
    if (problem !== null) {
      throw new EarshotError(
        'file_invalid',
        `Expected ${model.id} from ${url} to be the version that this build knows but ${problem}`,
        {
          nextAction:
            'Put the right version into a folder of EARSHOT_MODELS_MIRROR, or use a build of Earshot that ' +
            'knows the new one.',
          details: { model: model.id, url },
        },
      );
    }
  }
}

/** Replaces a folder with a finished one by renaming. */
async function publish(staging: string, target: string): Promise<void> {
  const old = `${target}.old-${process.pid}`;
  const had = await renameFile(target, old).then(
    () => true,
    (thrown: NodeJS.ErrnoException) => {
      if (thrown.code === 'ENOENT') return false;
      throw thrown;
    },
  );
  try {
    await renameFile(staging, target);
  } catch (thrown) {
    if (had) await renameFile(old, target);
    throw thrown;
  }
  await rm(old, { recursive: true, force: true });
}

/**
 * Installs a model into `folder/<id>`: from a mirror that has it, else from its authors' URL. Every file is checked
 * against size and SHA-256 of the manifest before the folder gets its name, so that no incomplete model is ever
 * visible.
 * @throws EarshotError fetch_failed, file_invalid (not as in the manifest), limit_exceeded (disk full), conflict (being
 *   installed by another process); AbortError. Partial downloads are kept for the next call.
 */
export async function installModel(model: Model, options: InstallOptions): Promise<Installed> {
  const { folder } = options;
  if ((await checkModel(model, folder, 'hash', options.signal)).state === 'installed') return { from: 'present' };
  const partials = join(folder, '.partial');
  try {
    await mkdir(partials, { recursive: true });
    const unlock = await lock(join(partials, `${model.id}.lock`), model.id);
    const staging = join(partials, `${model.id}.new`);
    try {
      await rm(staging, { recursive: true, force: true });
      await mkdir(staging);
      let from: Installed['from'] = 'download';
      for (const mirror of options.mirrors) {
        if (from === 'download' && (await takeFromMirror(model, mirror, staging, options))) from = 'mirror';
      }
      if (from === 'download') await fetchFiles(model, partials, staging, options);
      for (const file of model.files) {
        const problem = await fileProblem(join(staging, file.name), file, 'hash', options.signal);
        if (problem !== null) throw new EarshotError('internal_error', `The copy of ${model.id} failed: ${problem}`);
      }
      if (options.record !== undefined) await writeFile(join(staging, recordName), options.record);
      await publish(staging, join(folder, model.id));
      return { from };
    } finally {
      await rm(staging, { recursive: true, force: true });
      await unlock();
    }
  } catch (thrown) {
    if (isDiskFull(thrown)) throw diskFull(folder, thrown);
    throw thrown;
  }
}
