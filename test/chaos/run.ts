// The long storm: npm run chaos -- --jobs=300 --seconds=120 --seed=7
// Kills in the middle of transcriptions: npm run chaos -- --transcriptions=6 --seed=7
// Over hosts in network namespaces: npm run chaos -- --hosts --jobs=2000 --kills=100 --cut-offs=20 --restarts=10
// --outages=5
import { whyNoNetwork } from '../fixtures/fleet/network.ts';
import { needS3Program } from '../fixtures/s3/server.ts';
import { hostStorm } from '../fleet/storm.ts';
import { storm } from './storm.ts';
import { killTranscriptions } from './transcriptions.ts';

const flag = (name: string, fallback: number): number =>
  Number(process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3) ?? fallback);
const seed = flag('seed', Date.now() % 1_000_000);

async function run(): Promise<unknown> {
  const transcriptions = flag('transcriptions', 0);
  if (transcriptions > 0) return killTranscriptions(transcriptions, seed);
  if (!process.argv.includes('--hosts')) return storm({ jobs: flag('jobs', 300), seconds: flag('seconds', 600), seed });
  const reason = whyNoNetwork();
  const s3Program = needS3Program();
  if (reason !== null || s3Program === null) return `skipped: ${reason ?? 'versitygw is not installed'}`;
  const jobs = flag('jobs', 2000);
  // As many troubles for each job as in the whole storm.
  const share = (name: string, ofAll: number): number => flag(name, Math.ceil((ofAll * jobs) / 2000));
  const options = {
    jobs,
    kills: share('kills', 100),
    cutOffs: share('cut-offs', 20),
    restarts: share('restarts', 10),
    outages: share('outages', 5),
    seed,
  };
  process.stdout.write(`${JSON.stringify(options)}\n`);
  return hostStorm({ ...options, s3Program }, (text) => process.stderr.write(text));
}

process.stdout.write(`seed ${seed}\n`);
const report = await run();
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
