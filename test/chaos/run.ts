// The long storm: npm run chaos -- --jobs=300 --seconds=120 --seed=7
import { storm } from './storm.ts';

const flag = (name: string, fallback: number): number =>
  Number(process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3) ?? fallback);
const options = { jobs: flag('jobs', 300), seconds: flag('seconds', 600), seed: flag('seed', Date.now() % 1_000_000) };
process.stdout.write(`storm with ${JSON.stringify(options)}\n`);
process.stdout.write(`${JSON.stringify(await storm(options), null, 2)}\n`);
