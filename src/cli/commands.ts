// The heads of the commands that are no tools: what `earshot --help` shows. Each defines itself when it is typed.
import type { Command } from 'commander';
import type { Typed } from '../library/tools/declare/facts.ts';
import type { CommandContext } from './terminal/command-context.ts';

/** Adds description, flags and action to a command that has its head. */
type Define = (command: Command, context: CommandContext) => void;

interface CommandHead {
  readonly name: string;
  /** What the list shows behind the name. */
  readonly term: string;
  /** Its line in the list; its description, too, unless its definition has a longer one. */
  readonly summary: string;
  define(): Promise<Define>;
  readonly alias?: string;
  /** What users of other programs type for it. */
  readonly typed?: Typed;
}

const head = (name: string, term: string, summary: string, define: () => Promise<Define>): CommandHead => ({
  name,
  term,
  summary,
  define,
});

const inspecting = (): Promise<typeof import('./inspect-commands.ts')> => import('./inspect-commands.ts');
const operating = (): Promise<typeof import('../service/commands/operator-commands.ts')> =>
  import('../service/commands/operator-commands.ts');
const running = (): Promise<typeof import('../service/commands/runner-command.ts')> =>
  import('../service/commands/runner-command.ts');
const freely = (): Promise<typeof import('../service/commands/free-commands.ts')> =>
  import('../service/commands/free-commands.ts');
const archiving = (): Promise<typeof import('../service/commands/backup-commands.ts')> =>
  import('../service/commands/backup-commands.ts');

/** By the heading of the list that they stand under. */
export const commandHeads: Readonly<Record<string, readonly CommandHead[]>> = {
  'Cut and combine:': [
    head(
      'run',
      '[options] [chain] [files...]',
      'Run a chain of tools as one: podcast, audiobook, subtitles or your own',
      async () => (await import('./run-command.ts')).defineRun,
    ),
    head(
      'watch',
      '[options] <inbox>',
      'Run a chain over each recording that falls into a folder or a bucket',
      async () => (await import('./watch-command.ts')).defineWatch,
    ),
    head(
      'exec',
      '[options] [job]',
      'Run one job of a JSON file, for job engines',
      async () => (await import('./exec/exec-command.ts')).defineExec,
    ),
    head(
      'master',
      '[options] <tracks...>',
      'Make a finished episode of the tracks of a conversation',
      async () => (await import('./master-command.ts')).defineMaster,
    ),
  ],
  'Words:': [
    head(
      'captions',
      '[options] <file>',
      'Write a transcript as captions of many kinds, or draw them into a video',
      async () => (await import('./captions-command.ts')).defineCaptions,
    ),
  ],
  'Files and formats:': [
    head(
      'probe',
      '[options] <files...>',
      'Show what media files contain, without decoding them',
      async () => (await inspecting()).defineProbe,
    ),
    head(
      'chapters',
      '[options] <file>',
      'Write the chapters of a file as the JSON of the podcast namespace, or give a file chapters',
      async () => (await inspecting()).defineChapters,
    ),
    {
      ...head(
        'tags',
        '[options] <file>',
        'Show the tags of a file, or copy it with other tags and another cover; nothing is encoded again',
        async () => (await import('./tags-command.ts')).defineTags,
      ),
      alias: 'tag',
    },
    {
      ...head(
        'peaks',
        '[options] <file>',
        'Compute the waveform of a file, and draw waveform and spectrogram',
        async () => (await import('./peaks-command.ts')).definePeaks,
      ),
      typed: {
        commands: { waveform: '--png {stem}.waveform.png', spectrogram: '--spectrogram {stem}.spectrogram.png' },
      },
    },
    head(
      'preview',
      '[options] <file>',
      'Hear a passage as a tool would make it, beside what it was',
      async () => (await import('./preview-command.ts')).definePreview,
    ),
  ],
  'Earshot itself:': [
    head('tools', '[options]', 'List the tools', async () => (await inspecting()).defineTools),
    head(
      'models',
      '',
      'List, install and verify models. Nothing is downloaded unless you ask for it here',
      async () => (await import('./models/command.ts')).defineModels,
    ),
    head(
      'voices',
      '',
      'Voices that transcribe knows again: a name in place of "Speaker 1". They open no door',
      async () => (await import('./voices/command.ts')).defineVoices,
    ),
    head(
      'demo',
      '[options]',
      'Show what Earshot does with a recording: measure, draw, remove noise, transcribe, remove fillers',
      async () => (await import('./demo-command.ts')).defineDemo,
    ),
    head(
      'doctor',
      '[options]',
      'Check that everything works here',
      async () => (await import('./doctor/command.ts')).defineDoctor,
    ),
    head(
      'mcp',
      '[options]',
      'Let an assistant use the tools on files of this machine (Model Context Protocol)',
      async () => (await import('./mcp/command.ts')).defineMcp,
    ),
    head(
      'completion',
      '<shell>',
      'Print a completion script for a shell',
      async () => (await import('./completion/command.ts')).defineCompletion,
    ),
  ],
  'The service:': [
    head(
      'serve',
      '[options]',
      'Run the service',
      async () => (await import('../service/commands/serve-command.ts')).defineServe,
    ),
    head('runner', '[options]', 'Run jobs of a service elsewhere', async () => (await running()).defineRunner),
    head('runners', '', 'Machines that run jobs over https: their tokens', async () => (await running()).defineRunners),
    head(
      'config',
      '[options]',
      "The service's settings",
      async () => (await import('../service/commands/config-command.ts')).defineConfig,
    ),
    head('accounts', '', "The service's accounts", async () => (await operating()).defineAccounts),
    head('keys', '', 'API keys of accounts', async () => (await operating()).defineKeys),
    head('credits', '', "Accounts' credits (1 credit = 1 US cent)", async () => (await operating()).defineCredits),
    head(
      'sessions',
      '',
      'Website sessions of accounts, for your own sign-in page',
      async () => (await operating()).defineSessions,
    ),
    head(
      'sign-in',
      '[options] <account-or-address>',
      'Print a link that signs a browser in on the website, once, and only the browser that opens it first. ' +
        'An address without an account gets one',
      async () => (await operating()).defineSignIn,
    ),
    head('links', '', 'Signed links: uploads, downloads, receipts', async () => (await operating()).defineLinks),
    head(
      'free',
      '[options]',
      "Today's free uses, the budget of free seconds, and who waits for a payment",
      async () => (await freely()).defineFree,
    ),
    head(
      'payments',
      '',
      'Payments for the rest of files, and for credits',
      async () => (await freely()).definePayments,
    ),
    head(
      'workers',
      '',
      'The machines that run jobs, and the APIs',
      async () => (await import('../service/commands/fleet-commands.ts')).defineWorkers,
    ),
    head(
      'database',
      '',
      'Set up an external PostgreSQL, and compare the database with the files',
      async () => (await import('../service/commands/database-command.ts')).defineDatabase,
    ),
    head(
      'backup',
      '[options] <archive>',
      'Write all records of the service, as they are at one moment, and its files into one archive. The service may ' +
        'run meanwhile',
      async () => (await archiving()).defineBackup,
    ),
    head(
      'restore',
      '[options] <archive>',
      'Bring the archive of earshot backup into a new data folder, or a new database and bucket',
      async () => (await archiving()).defineRestore,
    ),
  ],
};
