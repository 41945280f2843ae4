// One measure in a process of its own: prints its figures as JSON. Started by main.ts, with a variation or without.
import { notLoaded } from './figures.ts';

const family = process.argv[2] ?? '';
const { measure } = (await import(`./measures/${family}.ts`)) as typeof import('./measures/fillers.ts');
const figures = await measure();
if (process.env['EARSHOT_VARIATION'] !== undefined && process.env['EARSHOT_VARIED'] === undefined)
  throw new RangeError(notLoaded);
process.stdout.write(
  `${JSON.stringify({ figures, cpuSeconds: (process.cpuUsage().user + process.cpuUsage().system) / 1e6 })}\n`,
  () => process.exit(0),
);
