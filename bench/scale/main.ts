// `npm run bench:scale`: where one PostgreSQL ends. After `--`:
// `--only=progress,deliveries,endpoints,first-job,webhooks` some of the parts, `--running=1000` simulated jobs,
// `--jobs=100000` and `--ledger=1000000` rows for the endpoints, `--seconds=10` for each line. 10 million jobs and 100
// million ledger rows take 40 GB of disk.
import { parseArgs } from 'node:util';
import { measureDeliveries } from './deliveries.ts';
import { measureEndpoints } from './endpoints.ts';
import { measureFirstJobs } from './first-job.ts';
import { settleBeside } from './progress.ts';
import { measureWebhookEvents } from './webhook-events.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'progress,deliveries,endpoints,first-job,webhooks' },
    running: { type: 'string', default: '1000' },
    jobs: { type: 'string', default: '100000' },
    ledger: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '10' },
  },
});
const parts = values.only.split(',');
const [running, jobs, seconds] = [Number(values.running), Number(values.jobs), Number(values.seconds)];
const ledger = Number(values.ledger);

if (parts.includes('progress')) {
  console.log(
    '\n| running jobs | workers | reports a second | later than 1 s | settlements | median | p99 | p99 of creating | ' +
      'cores of the database |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|');
  for (const count of [0, Math.round(running / 4), running])
    await settleBeside(count, Math.max(1, Math.ceil(count / 20)), seconds);
}
if (parts.includes('deliveries')) await measureDeliveries(seconds);
if (parts.includes('endpoints')) await measureEndpoints(jobs, ledger);
if (parts.includes('first-job')) await measureFirstJobs();
if (parts.includes('webhooks')) await measureWebhookEvents();
