import type { Command } from 'commander';
import type { CommandContext } from '../../cli/terminal/command-context.ts';
import { EarshotError } from '../../library/core/errors/errors.ts';
import type { FleetWorker } from '../rules/fleet/fleet.ts';
import { addOperatorCommand } from './operator-command.ts';

/** `earshot workers`: the processes of the fleet. */
export function defineWorkers(workers: Command, context: CommandContext): void {
  const change = (
    usage: string,
    description: string,
    after: string,
    work: (opened: {
      readonly fleet: {
        setDraining(id: string, draining: boolean): Promise<boolean>;
        evict(id: string): Promise<boolean>;
      };
      readonly id: string;
    }) => Promise<boolean>,
  ): Command =>
    addOperatorCommand(workers, context, usage, description, async ({ fleet }, [id = '']) => {
      if (!(await work({ fleet, id })))
        throw new EarshotError('not_found', `There is no worker ${id}`, {
          nextAction: 'earshot workers list shows their ids.',
        });
      return { json: { id }, text: `${id}: ${after}` };
    });

  addOperatorCommand(
    workers,
    context,
    'list',
    'List all processes of the fleet: id, version, labels, tasks and slots, load, last beat',
    async ({ fleet }, _words, { all }) => listed(await fleet.list(), all !== undefined),
  )
    .option('--all', 'also those that ended without a word in the last hour')
    .addHelpText('after', '\nExamples:\n  earshot workers list\n  earshot workers list --all --json');
  change(
    'drain <worker>',
    'Let a worker finish its tasks and take no new ones, until it is resumed or restarted',
    'finishes its tasks and takes no new ones',
    ({ fleet, id }) => fleet.setDraining(id, true),
  );
  change('resume <worker>', 'Let a draining worker take tasks again', 'takes tasks again', ({ fleet, id }) =>
    fleet.setDraining(id, false),
  );
  change(
    'evict <worker>',
    'Take all tasks from a worker that misbehaves: they start elsewhere at once, and no attempt is counted',
    'its tasks start elsewhere; it takes nothing new until it is started again',
    ({ fleet, id }) => fleet.evict(id),
  ).addHelpText('after', '\nExamples:\n  earshot workers evict worker-3-4711-0a1b2c');
}

/** Lost processes are named only when asked for: a fleet that grows and shrinks would list the dead first. */
export function listed(
  workers: readonly FleetWorker[],
  withLost: boolean,
): { readonly json: readonly FleetWorker[]; readonly text: string } {
  const shown = withLost ? workers : workers.filter(({ state }) => state !== 'lost');
  const lines = [shown.length === 0 ? 'No process of the service is running.' : table(shown)];
  const hidden = workers.length - shown.length;
  if (hidden > 0) lines.push(`${hidden} lost in the last hour: earshot workers list --all`);
  return { json: shown, text: lines.join('\n') };
}

function table(workers: readonly FleetWorker[]): string {
  const rows = [
    ['worker', 'state', 'role', 'version', 'labels', 'tasks', 'load', 'last beat'],
    ...workers.map((worker) => [
      worker.id,
      worker.unfit === null ? worker.state : `${worker.state}, lacks ${worker.unfit}`,
      worker.roles.includes('runner') ? `runner ${worker.host}` : worker.roles.join(','),
      worker.version,
      worker.labels.join(',') || '-',
      worker.roles.includes('worker') ? `${worker.running} (${worker.slots} slots)` : '-',
      `${Math.round(100 * worker.load)} %`,
      `${worker.silentSeconds.toFixed(0)} s ago`,
    ]),
  ];
  const widths = (rows[0] ?? []).map((_title, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
