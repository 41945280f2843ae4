import { expect, test } from 'vitest';
import { listed } from '../../src/service/commands/fleet-commands.ts';
import type { FleetWorker } from '../../src/service/rules/fleet/fleet.ts';

const worker = (id: string, state: FleetWorker['state']): FleetWorker => ({
  id,
  state,
  host: id,
  version: '0.1.0',
  roles: ['worker'],
  labels: [],
  slots: 2,
  connections: 4,
  build: 'x',
  models: [],
  running: 1,
  load: 0.5,
  unfit: null,
  unfitSince: null,
  startedAt: new Date(0),
  lastBeatAt: new Date(0),
  silentSeconds: 1,
});

test('the list leaves lost processes out and counts them, and has them when asked', () => {
  const all = [worker('living', 'running'), worker('dead', 'lost'), worker('buried', 'lost')];
  const { json, text } = listed(all, false);
  expect(json.map(({ id }) => id)).toEqual(['living']);
  expect(text).toMatch(/living +running/);
  expect(text).not.toContain('dead');
  expect(text).toContain('2 lost in the last hour: earshot workers list --all');
  expect(listed(all, true).json).toEqual(all);
  expect(listed(all, true).text).toMatch(/dead +lost/);
  expect(listed([], false).text).toBe('No process of the service is running.');
});
