import type { Command } from 'commander';
import { exitCodes } from '../../cli/terminal/exit.ts';
import type { CommandContext } from '../../cli/terminal/command-context.ts';
import { parseConfig, type SettingName } from '../rules/settings/config.ts';
import { addSettingFlags, bucketSettings, settingsOf, storageSettings } from './setting-flags.ts';

const places: readonly SettingName[] = [...storageSettings, ...bucketSettings];

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** `earshot backup` and `earshot restore`. */
export function addBackupCommands(program: Command, context: CommandContext): void {
  addSettingFlags(
    program
      .command('backup')
      .description(
        'Write all records of the service, as they are at one moment, and its files into one archive. The service may ' +
          'run meanwhile',
      )
      .argument('<archive>', 'a new file, such as earshot-2026-11-30.tar')
      .option('--without-files', 'only the records: accounts, ledger, jobs; files are deleted after a day in any case')
      .option('--json', 'write one JSON object')
      .addHelpText(
        'after',
        '\nThe archive holds addresses, hashes of keys and what people said: keep it as you keep the database.\n\n' +
          'Examples:\n  earshot backup earshot.tar --data /var/lib/earshot\n' +
          '  earshot backup earshot.tar --without-files\n  tar -xOf earshot.tar manifest.json',
      ),
    places,
  ).action(async (archive: string, flags: { readonly withoutFiles?: boolean; readonly json?: boolean }, command) => {
    const config = parseConfig(settingsOf(command as Command));
    const { makeBackup } = await import('../serve/backup.ts');
    const made = await makeBackup(config, archive, flags.withoutFiles !== true);
    const files = made.objects === null ? 'no files' : `${made.objects} objects of files`;
    const gone = made.gone.length === 0 ? '' : `, ${made.gone.length} deleted at their time meanwhile`;
    process.stdout.write(
      flags.json
        ? `${JSON.stringify(made)}\n`
        : `Wrote ${archive} (${megabytes(made.sizeBytes)}): ${made.rows} records, ${files}${gone}.\n`,
    );
    context.finish(exitCodes.ok);
  });
  addSettingFlags(
    program
      .command('restore')
      .description('Bring the archive of earshot backup into a new data folder, or a new database and bucket')
      .argument('<archive>', 'of earshot backup')
      .option('--json', 'write one JSON object')
      .addHelpText(
        'after',
        '\nThe archive is read whole and compared with its sums before anything is written. Start the service after it: ' +
          'jobs that waited or ran go on.\nDo not run the old service beside it: both would finish the same jobs.\n\n' +
          'Examples:\n  earshot restore earshot.tar --data /var/lib/earshot-new\n' +
          '  earshot serve --data /var/lib/earshot-new',
      ),
    places,
  ).action(async (archive: string, flags: { readonly json?: boolean }, command) => {
    const config = parseConfig(settingsOf(command as Command));
    const { restoreBackup } = await import('../serve/backup.ts');
    const found = await restoreBackup(config, archive);
    const files = found.objects === null ? 'no files' : `${found.objects} objects of files`;
    process.stdout.write(
      flags.json
        ? `${JSON.stringify(found)}\n`
        : `Restored ${found.rows} records, ${files}. Start the service, then compare: earshot database reconcile\n`,
    );
    context.finish(exitCodes.ok);
  });
}
