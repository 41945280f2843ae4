// The long storm: npm run chaos -- --jobs=300 --seconds=120 --seed=7
// Kills in the middle of transcriptions: npm run chaos -- --transcriptions=6 --seed=7
import { storm } from './storm.ts';
import { killTranscriptions } from './transcriptions.ts';

const flag = (name: string, fallback: number): number =>
  Number(process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3) ?? fallback);
const seed = flag('seed', Date.now() % 1_000_000);
const transcriptions = flag('transcriptions', 0);
const options = { jobs: flag('jobs', 300), seconds: flag('seconds', 600), seed };
process.stdout.write(`${JSON.stringify(transcriptions > 0 ? { transcriptions, seed } : options)}\n`);
const report = await (transcriptions > 0 ? killTranscriptions(transcriptions, seed) : storm(options));
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
