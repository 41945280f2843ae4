import { Option, type Command } from 'commander';
import { badValue } from '../library/core/checks/schema.ts';
import { shortPath } from '../library/core/files/short-path.ts';
import type { WatchEvent } from '../library/runtime/chains/watch-folder.ts';
import { chainMaker } from './run-command.ts';
import type { CommandContext } from './terminal/command-context.ts';
import { createDisplay, type Display } from './terminal/display.ts';
import { exitCodes, type ExitCode } from './terminal/exit.ts';
import { reportFailure } from './terminal/failed.ts';

interface WatchFlags {
  readonly run: string;
  readonly output: string;
  readonly format?: string;
  readonly settle: string;
  readonly once?: boolean;
  readonly json?: boolean;
}

const examples = `
Examples:
  # Each recording that falls into inbox/ becomes an episode in finished/
  earshot watch inbox/ --run podcast -o finished/
  # From cron: what is there now, and no more
  earshot watch inbox/ --run my-chain.json -o finished/ --format mp3 --once`;

/** `earshot watch`: recordings fall in, finished files come out. */
export function addWatchCommand(program: Command, context: CommandContext): void {
  program
    .command('watch')
    .helpGroup('Cut and combine:')
    .summary('Run a chain over each recording that falls into a folder')
    .description(
      'Takes recordings that have stopped growing, runs a chain over each, puts what it makes into the output folder ' +
        'and the recording into done/, or into failed/ with the reason beside it. A folder with several files is one ' +
        'recording of several tracks. After a kill each is still done once.',
    )
    .argument('<inbox>', 'folder that recordings fall into')
    .requiredOption('--run <chain>', 'podcast, audiobook, subtitles, a JSON file with steps, or a tool')
    .requiredOption('-o, --output <folder>', 'where results go')
    .option('--format <name>', 'of the resulting sound: wav, mp3, m4a, flac, ogg, opus (default: as the recording)')
    .addOption(new Option('--settle <seconds>', 'how long a recording must not have changed').default('5'))
    .option('--once', 'end when everything that is there now has been done')
    .option('--json', 'write JSON lines to stdout')
    .addHelpText('after', examples)
    .action(async (inbox: string, flags: WatchFlags) => context.finish(await runWatch(inbox, flags, context.signal)));
}

async function runWatch(inbox: string, flags: WatchFlags, signal: AbortSignal): Promise<ExitCode> {
  const display = createDisplay({ json: flags.json ?? false });
  try {
    const settleSeconds = flags.settle.trim() === '' ? Number.NaN : Number(flags.settle);
    if (!(settleSeconds >= 0 && settleSeconds <= 86_400))
      throw badValue('settle', 'number between 0 and 86400', flags.settle);
    const { chainFor, format: usual } = await chainMaker(flags.run);
    const format = flags.format ?? usual;
    const [{ createEngine }, { watchFolder }] = await Promise.all([
      import('../library/runtime/engine/engine.ts'),
      import('../library/runtime/chains/watch-folder.ts'),
    ]);
    await using engine = createEngine();
    const { failed } = await watchFolder(engine, {
      inbox,
      finished: flags.output,
      chainFor,
      settleSeconds,
      once: flags.once ?? false,
      signal,
      onEvent: (event) => report(display, event),
      ...(format === null ? {} : { format }),
    });
    return failed === 0 ? exitCodes.ok : exitCodes.failed;
  } catch (thrown) {
    return reportFailure(display, undefined, thrown, 'what was at work is in the inbox again');
  } finally {
    display.close();
  }
}

function report(display: Display, event: WatchEvent): void {
  switch (event.type) {
    case 'begun':
      return;
    case 'progress':
      return display.progress(event.name, event.progress);
    case 'warning':
      return display.warning(event.name, event.warning);
    case 'failed':
      return display.error(event.name, event.error);
    case 'done':
      return display.result(
        event.name,
        { outputs: event.outputs },
        `${event.name} -> ${event.outputs.map(shortPath).join(', ')}`,
      );
  }
}
