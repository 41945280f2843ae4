import { Option, type Command } from 'commander';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { badValue } from '../../library/core/checks/schema.ts';
import { createDisplay } from '../../cli/terminal/display.ts';
import { engineExitOf, exitCodes } from '../../cli/terminal/exit.ts';
import { reportFailure } from '../../cli/terminal/failed.ts';
import type { CommandContext } from '../../cli/terminal/command-context.ts';
import { parseConfig, type SettingName } from '../rules/settings/config.ts';
import { addOperatorCommand } from './operator-command.ts';
import { addSettingFlags, settingsOf } from './setting-flags.ts';

/** The settings of a machine that only runs jobs. */
const runnerSettings: readonly SettingName[] = [
  'data',
  'jobSlots',
  'cores',
  'memoryBytes',
  'jobMemoryBytes',
  'jobReuse',
  'modelsDir',
  's3CacheBytes',
  'diskReserveBytes',
  'graceSeconds',
  'logLevel',
  'workerLabels',
];

/** `earshot runners`: the tokens of machines that run jobs with nothing but an address and a token. */
export function defineRunners(runners: Command, context: CommandContext): void {
  addOperatorCommand(
    runners,
    context,
    'add <name>',
    'Make a token for a runner. It is shown once: only its hash is stored',
    async ({ operator }, [name = '']) => {
      const { runner, token } = await operator.addRunner(name);
      const text = `${token}\n\nOn that machine:\n  EARSHOT_RUNNER_TOKEN=${token} earshot runner --url https://...`;
      return { json: { ...runner, token }, text };
    },
  ).addHelpText('after', '\nExamples:\n  earshot runners add "studio mac"');
  addOperatorCommand(runners, context, 'list', 'List runners with their last request', async ({ operator }) => {
    const found = await operator.listRunners();
    const lines = found.map(
      ({ id, prefix, name, accepted, refused, unfinished, revokedAt, lastSeenAt }) =>
        `${id}  ${prefix}...  ${name}  ${accepted} jobs${refused > 0 ? `, ${refused} refused` : ''}` +
        `${unfinished > 0 ? `, ${unfinished} never ended` : ''}  ` +
        (revokedAt === null
          ? `last seen ${lastSeenAt?.toISOString() ?? 'never'}`
          : `removed ${revokedAt.toISOString()}`),
    );
    return { json: found, text: lines.join('\n') || 'There are no runners. Make one: earshot runners add <name>' };
  });
  addOperatorCommand(
    runners,
    context,
    'remove <runner>',
    'Revoke the token of a runner by its id, name or prefix; its jobs start again elsewhere',
    async ({ operator }, [named = '']) => {
      const { id, prefix, name, ...rest } = await operator.removeRunner(named);
      return { json: { id, prefix, name, ...rest }, text: `${id}  ${prefix}...  ${name}  removed` };
    },
  );
}

interface RunnerFlags {
  readonly url: string;
  readonly token?: string;
  readonly once?: boolean;
  readonly maxJobs?: number;
  readonly idleExit?: number;
}

/** Parses a whole number of a flag. */
const countOf =
  (flag: string, least: number) =>
  (text: string): number => {
    const count = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (count >= least) return count;
    throw badValue(flag, `whole number of at least ${least}`, text);
  };

/** `earshot runner`: one of these machines. */
export function defineRunner(command: Command, context: CommandContext): void {
  command
    .description(
      'Run jobs of a service on this machine, over https, with its address and a token from `earshot runners add`. ' +
        'Ctrl-C finishes running jobs or hands them back, and stops.',
    )
    .requiredOption('--url <url>', 'https address of the service')
    .addOption(new Option('--token <text>', 'token of this runner').env('EARSHOT_RUNNER_TOKEN'))
    .option('--once', 'run one job, or none where none waits, and end')
    .addOption(new Option('--max-jobs <n>', 'end after so many jobs').argParser(countOf('--max-jobs', 1)))
    .addOption(
      new Option('--idle-exit <seconds>', 'end after so long without a job').argParser(countOf('--idle-exit', 0)),
    );
  addSettingFlags(command, runnerSettings)
    .addHelpText(
      'after',
      '\nExamples:\n  EARSHOT_RUNNER_TOKEN=svc_rt_... earshot runner --url https://audio.example.org\n' +
        '  # Under a job engine, started for each job that waits (docs/engines.md)\n' +
        '  earshot runner --url https://audio.example.org --once\n' +
        '\nIt ends with 0; 69 when the service refuses it or this machine lacks something; 75 when the service gives no answer.',
    )
    .action(async () => {
      const config = parseConfig(settingsOf(command));
      const { url, token, once = false, maxJobs = null, idleExit = null } = command.opts<RunnerFlags>();
      if (token === undefined || token === '')
        throw new EarshotError('bad_request', 'Expected the token of a runner but received none', {
          nextAction: 'Make one where the service runs (earshot runners add <name>), and set EARSHOT_RUNNER_TOKEN.',
        });
      // Loaded on demand, so that the tools' commands start faster.
      const { runRunner } = await import('../serve/runner.ts');
      const limits = once ? { maxJobs: 1, idleSeconds: 0 } : { maxJobs, idleSeconds: idleExit };
      try {
        await runRunner(config, url, token, context.signal, limits);
        context.finish(exitCodes.ok);
      } catch (thrown) {
        reportFailure(createDisplay({ json: false }), undefined, thrown);
        const code = engineExitOf(thrown);
        // Nothing here is an input: another version, a revoked token, a full runner.
        context.finish(code === exitCodes.badInput ? exitCodes.unavailable : code);
      }
    });
}
