import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { exitCodes } from '../../cli/terminal/exit.ts';
import type { CommandContext } from '../../cli/terminal/command-context.ts';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { type Config, parseConfig, type SettingName } from '../rules/settings/config.ts';
import { createTransfers, type Transfers } from './transfers.ts';
import { addSettingFlags, bucketSettings, settingsOf, storageSettings } from './setting-flags.ts';

const places: readonly SettingName[] = [...storageSettings, ...bucketSettings];

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

const isAddress = (archive: string): boolean => archive.startsWith('s3://');

/** Works with an archive of a bucket by a copy in the temporary folder. */
async function withCopy<Answer>(
  config: Config,
  { signal }: CommandContext,
  work: (folder: string, transfers: Transfers) => Promise<Answer>,
): Promise<Answer> {
  const transfers = createTransfers(config, signal);
  await transfers.requireAccess('s3://bucket');
  const folder = await mkdtemp(join(tmpdir(), 'earshot-backup-'));
  try {
    return await work(folder, transfers);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @returns where the archive is, and what is in it */
async function backUp(config: Config, archive: string, withFiles: boolean, context: CommandContext) {
  const { makeBackup } = await import('../serve/backup.ts');
  if (!isAddress(archive)) return { place: archive, made: await makeBackup(config, archive, withFiles) };
  if (!archive.endsWith('/'))
    throw new EarshotError('bad_request', `Expected a folder of a bucket, with / at its end, but received ${archive}`, {
      nextAction: 'The archive gets a name with the time there, so that none replaces another.',
    });
  return await withCopy(config, context, async (folder, transfers) => {
    const path = join(folder, `earshot-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.tar`);
    const made = await makeBackup(config, path, withFiles);
    return { place: await transfers.send(path, archive), made };
  });
}

/** `earshot backup`. */
export function defineBackup(command: Command, context: CommandContext): void {
  addSettingFlags(
    command
      .argument(
        '<archive>',
        'a new file, such as earshot-2026-11-30.tar, or s3://bucket/folder/ for one named by the time',
      )
      .option('--without-files', 'only the records: accounts, ledger, jobs; files are deleted after a day in any case')
      .option('--json', 'write one JSON object')
      .addHelpText(
        'after',
        '\nThe archive holds addresses, hashes of keys and what people said: keep it as you keep the database.\n\n' +
          'Examples:\n  earshot backup earshot.tar --data /var/lib/earshot\n' +
          '  earshot backup earshot.tar --without-files\n  earshot backup s3://backups/earshot/\n  tar -xOf earshot.tar manifest.json',
      ),
    places,
  ).action(async (archive: string, flags: { readonly withoutFiles?: boolean; readonly json?: boolean }) => {
    const config = parseConfig(settingsOf(command));
    const { place, made } = await backUp(config, archive, flags.withoutFiles !== true, context);
    const files = made.objects === null ? 'no files' : `${made.objects} objects of files`;
    const gone = made.gone.length === 0 ? '' : `, ${made.gone.length} deleted at their time meanwhile`;
    process.stdout.write(
      flags.json
        ? `${JSON.stringify({ archive: place, ...made })}\n`
        : `Wrote ${place} (${megabytes(made.sizeBytes)}): ${made.rows} records, ${files}${gone}.\n`,
    );
    context.finish(exitCodes.ok);
  });
}

/** `earshot restore`. */
export function defineRestore(command: Command, context: CommandContext): void {
  addSettingFlags(
    command
      .argument('<archive>', 'of earshot backup: a file, or s3://bucket/folder/name.tar')
      .option('--json', 'write one JSON object')
      .addHelpText(
        'after',
        '\nThe archive is read whole and compared with its sums before anything is written. Start the service after it: ' +
          'jobs that waited or ran go on.\nWhat failed or was ' +
          'killed midway is begun again by the same command. Do not run the old service beside it: both would finish the same jobs.\n\n' +
          'Examples:\n  earshot restore earshot.tar --data /var/lib/earshot-new\n' +
          '  earshot serve --data /var/lib/earshot-new',
      ),
    places,
  ).action(async (archive: string, flags: { readonly json?: boolean }) => {
    const config = parseConfig(settingsOf(command));
    const { restoreBackup } = await import('../serve/backup.ts');
    const found = isAddress(archive)
      ? await withCopy(config, context, async (folder, transfers) =>
          restoreBackup(config, await transfers.fetch(archive, folder)),
        )
      : await restoreBackup(config, archive);
    const files = found.objects === null ? 'no files' : `${found.objects} objects of files`;
    process.stdout.write(
      flags.json
        ? `${JSON.stringify(found)}\n`
        : `Restored ${found.rows} records, ${files}. Start the service, then compare: earshot database reconcile\n`,
    );
    context.finish(exitCodes.ok);
  });
}
