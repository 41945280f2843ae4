import { Counter, Gauge, type Registry } from 'prom-client';
import { attemptEnds, failedSettlements } from '../../rules/jobs/attempt-counts.ts';
import type { FleetOverview } from '../../rules/fleet/fleet-overview.ts';

/** Reads the fleet into its gauges. */
export function fleetReader(read: () => Promise<FleetOverview>, registers: Registry[]): () => Promise<void> {
  const gauge = (name: string, help: string, labelNames: string[] = []): Gauge =>
    new Gauge({ name, help, labelNames, registers });
  const processes = gauge(
    'earshot_fleet_processes',
    'APIs, workers and runners by state; a lost one is listed for an hour',
    ['role', 'state'],
  );
  const unfit = gauge('earshot_fleet_unfit', 'Machines that take no jobs because they lack something for all of them');
  const oldest = gauge('earshot_oldest_queued_job_seconds', 'Age of the oldest queued job; 0: none', ['class']);
  const housekeeping = gauge(
    'earshot_housekeeping_age_seconds',
    'Time since each task of the housekeeping last ended well',
    ['task'],
  );
  // Counted by all processes, so that each API shows the same sums.
  const attempts = new Counter({
    name: 'earshot_attempts_total',
    help: 'Attempts of jobs that ended, by end: lost with their machine, unfit for it, returned when it stopped, ...',
    labelNames: ['end'],
    registers,
  });
  const settlements = new Counter({
    name: 'earshot_settlements_failed_total',
    help: 'Ends of attempts that could not be written into the database; they are tried again',
    registers,
  });
  return async () => {
    const now = await read();
    for (const each of [processes, housekeeping, attempts, settlements]) each.reset();
    for (const role of ['api', 'worker', 'runner'])
      for (const state of ['running', 'draining', 'evicted', 'lost']) processes.set({ role, state }, 0);
    for (const { role, state, count } of now.processes) processes.set({ role, state }, count);
    unfit.set(now.unfit);
    for (const end of attemptEnds) attempts.inc({ end }, now.counts[end] ?? 0);
    settlements.inc(now.counts[failedSettlements] ?? 0);
    for (const [name, seconds] of Object.entries(now.oldestQueuedSeconds)) oldest.set({ class: name }, seconds);
    for (const [task, seconds] of Object.entries(now.housekeepingSeconds)) housekeeping.set({ task }, seconds);
  };
}
