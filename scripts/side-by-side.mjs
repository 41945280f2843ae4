// Runs npm scripts at the same time. Each one's output comes as a whole when it has ended; all run to their end, so
// that one go shows everything that fails.
// Usage: side-by-side.mjs script...
import { spawn } from 'node:child_process';
import { npmCommand } from './npm.mjs';

const failed = [];
await Promise.all(
  process.argv.slice(2).map(async (name) => {
    const [program, ...first] = npmCommand();
    const child = spawn(program, [...first, 'run', name], { stdio: ['ignore', 'pipe', 'pipe'] });
    const parts = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => parts.push(part));
    const code = await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    process.stdout.write(Buffer.concat(parts));
    if (code !== 0) failed.push(name);
  }),
);
if (failed.length > 0) {
  console.error(`failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
