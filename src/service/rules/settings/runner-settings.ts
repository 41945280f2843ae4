import type { Setting } from './setting.ts';

/** Settings of machines that run jobs over https. */
export const runnerSettings = {
  runnerLeaseSeconds: {
    env: 'EARSHOT_RUNNER_LEASE_SECONDS',
    flag: 'runner-lease-seconds',
    kind: 'integer',
    minimum: 5,
    maximum: 3600,
    default: '30',
    description: 'Seconds without a report of a runner after which its job goes to another machine',
  },
  runnerJobs: {
    env: 'EARSHOT_RUNNER_JOBS',
    flag: 'runner-jobs',
    kind: 'integer',
    minimum: 1,
    maximum: 10_000,
    default: '64',
    description: 'Jobs of one runner at a time',
  },
  takeJobs: {
    env: 'EARSHOT_TAKE_JOBS',
    flag: 'take-jobs',
    kind: 'boolean',
    default: 'true',
    description: 'false: this worker only checks uploads and the files of runners, and leaves jobs to others',
  },
} as const satisfies Record<string, Setting>;
