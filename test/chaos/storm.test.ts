// @module-tag slower
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { rounds } from '../fixtures/rounds.ts';
import { storm } from './storm.ts';

// Finding the processes to kill needs /proc.
it.runIf(existsSync('/proc/self/stat'))('a short storm of kills loses no job, no file and no credit', async () => {
  const seed = Date.now() % 1_000_000;
  console.log(`seed ${seed}`);
  const jobs = rounds(12, 24);
  const report = await storm({ jobs, seconds: rounds(5, 12), seed });
  console.log(JSON.stringify(report));
  expect(Object.values(report.kills).reduce((sum, count) => sum + count)).toBeGreaterThan(3);
  expect(Object.values(report.kills)).not.toContain(0);
  expect(report.jobs['succeeded']).toBeGreaterThan(jobs / 2);
  expect(report.charged).toBe(report.jobs['succeeded']);
  expect(report.visits.freeRuns).toBe(3 * report.visits.visitors);
  expect(report.visits.payments).toBeGreaterThan(0);
  expect(report.older.charged).toBeGreaterThanOrEqual(report.older.clients);
});
