import type { Setting } from './setting.ts';

/** Settings of the database and of a fleet. */
export const fleetSettings = {
  databaseUrl: {
    env: 'DATABASE_URL',
    flag: 'database-url',
    kind: 'secret',
    default: null,
    description: 'PostgreSQL to use. Default: an embedded one in the data folder',
  },
  databaseOwnerUrl: {
    env: 'DATABASE_OWNER_URL',
    flag: 'database-owner-url',
    kind: 'secret',
    default: null,
    description:
      'The same PostgreSQL with the role that owns the tables, for migrations; see earshot database create-roles. ' +
      'Default: DATABASE_URL',
  },
  databaseDirectUrl: {
    env: 'DATABASE_DIRECT_URL',
    flag: 'database-direct-url',
    kind: 'secret',
    default: null,
    description:
      'The same PostgreSQL, bypassing a pooler in transaction mode (PgBouncer), for notifications and ' +
      'migrations. Default: DATABASE_URL, which then must not be a pooler',
  },
  accountRunningJobs: {
    env: 'EARSHOT_ACCOUNT_RUNNING_JOBS',
    flag: 'account-running-jobs',
    kind: 'integer',
    minimum: 1,
    default: null,
    description: 'Running jobs of one account, on all machines together; the others wait. Default: no limit',
  },
  freeSlots: {
    env: 'EARSHOT_FREE_SLOTS',
    flag: 'free-slots',
    kind: 'integer',
    minimum: 0,
    default: '0',
    description:
      'Of the slots of this machine, those that only free runs take, so that they never wait for long jobs; at least ' +
      'one slot is for all. Checks of uploads and peaks have slots of their own',
  },
  paidSlots: {
    env: 'EARSHOT_PAID_SLOTS',
    flag: 'paid-slots',
    kind: 'integer',
    minimum: 0,
    default: '0',
    description:
      'Of the slots of this machine, those that only paid jobs take, so that they never wait for free ones; at least ' +
      'one slot is for all. Paid jobs go first in any case, with one free job in four starts',
  },
  silentSeconds: {
    env: 'EARSHOT_SILENT_SECONDS',
    flag: 'silent-seconds',
    kind: 'number',
    minimum: 0,
    default: '10',
    description:
      'Time after which a process of the service that lives and answers nothing is ended and started again; 0: never',
  },
  pools: {
    env: 'EARSHOT_POOLS',
    flag: 'pools',
    kind: 'text',
    default: null,
    description:
      'Labels that jobs of a tool prefer, such as transcribe_audio=gpu,align_script=gpu. A machine without the label ' +
      'takes them while no machine with it has a free slot. Default: none',
  },
  workerLabels: {
    env: 'EARSHOT_WORKER_LABELS',
    flag: 'worker-labels',
    kind: 'text',
    default: null,
    description:
      'Labels of this machine, separated by commas, such as gpu; for EARSHOT_POOLS, shown by earshot workers. ' +
      'Default: none',
  },
} as const satisfies Record<string, Setting>;
