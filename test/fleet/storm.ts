// The storm over hosts: jobs come in while processes are killed, machines cut off, the database restarted and the store
// away. `npm run chaos -- --hosts --jobs=2000 --kills=100 --cut-offs=20 --restarts=10 --outages=5 --seed=7`
// EARSHOT_STORM_LOGS names a folder for what all processes said.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reckoning } from '../chaos/reckoning.ts';
import { type Fleet, type FleetPart, startFleet, workerNames } from '../fixtures/fleet/fleet.ts';
import { seeded } from '../fixtures/random.ts';
import { Load } from './load.ts';

export interface HostStormOptions {
  readonly s3Program: string;
  readonly jobs: number;
  readonly kills: number;
  readonly cutOffs: number;
  readonly restarts: number;
  readonly outages: number;
  readonly seed: number;
}

type Trouble = 'kill' | 'cutOff' | 'restart' | 'outage';

export interface HostStormReport extends Reckoning {
  readonly troubles: Readonly<Record<Trouble, number>>;
  /** Kills by what was killed. */
  readonly killed: Readonly<Record<string, number>>;
  readonly requestsFailed: number;
  readonly deletedFiles: number;
  /** Attempts that began, in all. */
  readonly attempts: number;
}

/** @throws Error naming what is not accounted for */
export async function hostStorm(options: HostStormOptions, say: (text: string) => void): Promise<HostStormReport> {
  const fleet = await startFleet({
    s3Program: options.s3Program,
    clocks: { 'api-1': 150, 'api-2': -150, 'worker-1': -150, 'worker-2': 150 },
    // As many starts as it takes: what is judged is that none is charged twice and none is lost.
    flags: ['--job-attempts=10'],
    credits: 2 * options.jobs,
  });
  try {
    return await new Storm(fleet, options).run(say);
  } finally {
    const folder = process.env['EARSHOT_STORM_LOGS'];
    if (folder !== undefined)
      for (const [name, part] of Object.entries(fleet.parts)) writeFileSync(join(folder, `${name}.log`), part.output());
    await fleet.close();
  }
}

class Storm {
  private readonly fleet: Fleet;
  private readonly options: HostStormOptions;
  private readonly random: () => number;
  private readonly counts = { kill: 0, cutOff: 0, restart: 0, outage: 0 };
  private readonly killed: Record<string, number> = {};
  /** One of each at a time. */
  private readonly last: Record<'database' | 'store', Promise<void>> = {
    database: Promise.resolve(),
    store: Promise.resolve(),
  };

  constructor(fleet: Fleet, options: HostStormOptions) {
    this.fleet = fleet;
    this.options = options;
    this.random = seeded(options.seed);
  }

  async run(say: (text: string) => void): Promise<HostStormReport> {
    const { fleet, counts, killed, random } = this;
    const { jobs } = this.options;
    const load = new Load(fleet, random);
    await load.upload();
    const troubles = this.plan();
    const under = new Set<Promise<void>>();
    let failed: unknown;
    const begin = (kind: Trouble): void => {
      counts[kind] += 1;
      const one = this.make(kind)
        .catch((thrown: unknown) => void (failed ??= thrown))
        .finally(() => under.delete(one));
      under.add(one);
    };
    // Spread over the jobs, so that the storm is the same on a slow machine.
    await load.order(jobs, (count) => {
      while (troubles.length > 0 && (troubles[0]?.place ?? 1) <= count / jobs) begin(troubles.shift()?.kind ?? 'kill');
      if (count % 50 === 0) say(`${count} jobs ordered, ${JSON.stringify(counts)}, ${load.failures} requests failed\n`);
    });
    while (under.size > 0) await Promise.all(under);
    if (failed !== undefined) throw failed;
    const reckoning = await load.reckon();
    const [began] = await fleet.database.query<{ attempts: number }>('select sum(attempt)::int as attempts from jobs');
    return {
      ...reckoning,
      troubles: counts,
      killed,
      requestsFailed: load.failures,
      deletedFiles: load.deleted.size,
      attempts: began?.attempts ?? 0,
    };
  }

  private plan(): { readonly kind: Trouble; readonly place: number }[] {
    const { kills: kill, cutOffs: cutOff, restarts: restart, outages: outage } = this.options;
    const wanted = { kill, cutOff, restart, outage };
    return (Object.keys(wanted) as Trouble[])
      .flatMap((kind) => Array.from({ length: wanted[kind] }, () => ({ kind, place: this.random() })))
      .toSorted((one, other) => one.place - other.place);
  }

  private async make(kind: Trouble): Promise<void> {
    const { fleet, random } = this;
    if (kind === 'kill') return this.kill();
    if (kind === 'cutOff') return this.cutOff();
    const place = kind === 'restart' ? 'database' : 'store';
    const before = this.last[place];
    const own = (async () => {
      await before;
      if (kind === 'restart') {
        await fleet.database.crash();
        await sleep(2000 * random());
        await fleet.database.start();
      } else {
        await fleet.store.be(random() < 0.5 ? 'busy' : 'slow');
        await sleep(5000 + 15_000 * random());
        await fleet.store.be('well');
      }
    })();
    this.last[place] = own.catch(() => undefined);
    return own;
  }

  private async kill(): Promise<void> {
    const { fleet, random, killed } = this;
    for (;;) {
      const part = this.pick(Object.values(fleet.parts));
      const dice = random();
      const what = dice < 0.5 ? 'job' : dice < 0.85 ? 'service' : 'launcher';
      const pids = part.pids()[what];
      if (pids.length > 0) {
        process.kill(this.pick(pids), 'SIGKILL');
        const name = `${part.host.name.replace(/-\d$/, '')} ${what}`;
        killed[name] = (killed[name] ?? 0) + 1;
        // What a service manager does.
        if (what === 'launcher' || (part === fleet.parts.runner && what === 'service')) await startAgain(part);
        return;
      }
      await sleep(20);
    }
  }

  private async cutOff(): Promise<void> {
    const host = this.fleet.network.host(this.pick([...workerNames, 'runner']));
    while (host.isCutOff) await sleep(100);
    host.cutOff();
    // Longer than a lease.
    await sleep(8000 + 8000 * this.random());
    host.mend();
  }

  private pick<Item>(from: readonly Item[]): Item {
    return from[Math.floor(this.random() * from.length)] as Item;
  }
}

/** Its children end by themselves first: they have its port. */
async function startAgain(part: FleetPart): Promise<void> {
  await sleep(1000);
  for (let tries = 0; !part.isRunning; tries += 1) {
    try {
      await part.start();
    } catch (thrown) {
      if (tries > 60) throw thrown;
      await sleep(1000);
    }
  }
}
