import type { Command } from 'commander';
import type { CommandContext } from '../terminal/command-context.ts';
import type { AddFlags, ExportFlags, VoicesFlags } from './work.ts';

const consentText =
  'what the person agreed to, and when, such as "Anna agreed on 2026-11-30 to be named in our meetings": a voice print ' +
  'is biometric data, and is made only with consent';

/**
 * `earshot voices list | add | name | remove | export | import`: voices by which `transcribe --voices` names people.
 */
export function defineVoices(voices: Command, context: CommandContext): void {
  const work = (): Promise<typeof import('./work.ts')> => import('./work.ts');
  const json = (command: Command): Command => command.option('--json', 'write JSON');
  json(
    voices.command('list', { isDefault: true }).description('List the voices, and the file that they are in'),
  ).action(async (flags: VoicesFlags) => context.finish(await (await work()).listVoices(flags)));
  json(
    voices
      .command('add')
      .description('Add a voice from recordings of one person, or more recordings to one that is there')
      .argument('<name>', 'name of the person, as transcripts are to have it')
      .argument('<files...>', 'recordings of this person alone, 10 s or more: other days and rooms help')
      .option('--from <ranges>', 'where in the recording only this person speaks, such as 0:10-0:40,1:05-1:20')
      .option('--consent <text>', consentText)
      .option('--models-dir <folder>', 'folder of the models'),
  )
    .addHelpText(
      'after',
      '\nExamples:\n  # Anna, by half a minute of an interview\n' +
        '  earshot voices add Anna interview.wav --from 0:10-0:40 --consent "Anna agreed on 2026-11-30"\n' +
        '  # Names in place of numbers\n  earshot transcribe meeting.wav --voices Anna,Ben',
    )
    .action(async (name: string, files: string[], flags: AddFlags) =>
      context.finish(await (await work()).addVoice(name, files, flags, context.signal)),
    );
  json(
    voices
      .command('name')
      .description('Give a voice another name')
      .argument('<name>', 'the name that it has')
      .argument('<other>', 'the name that it gets'),
  ).action(async (name: string, other: string, flags: VoicesFlags) =>
    context.finish(await (await work()).nameVoice(name, other, flags)),
  );
  json(
    voices
      .command('remove')
      .description('Delete voices: nothing of them is kept')
      .argument('<names...>', 'their names; all removes the file'),
  ).action(async (names: string[], flags: VoicesFlags) =>
    context.finish(await (await work()).removeVoices(names, flags)),
  );
  json(
    voices
      .command('export')
      .description('Write voices to a file that only you can read')
      .argument('[names...]', 'their names (default: all)')
      .requiredOption('-o, --output <path>', 'the file')
      .option('-y, --overwrite', 'replace an existing file'),
  ).action(async (names: string[], flags: ExportFlags) =>
    context.finish(await (await work()).exportVoices(names, flags)),
  );
  json(
    voices
      .command('import')
      .description('Add the voices of an exported file; one of a name that is there is not replaced')
      .argument('<file>', 'a file of `earshot voices export`'),
  ).action(async (file: string, flags: VoicesFlags) => context.finish(await (await work()).importVoices(file, flags)));
}
