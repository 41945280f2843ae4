// `npm start`: the service from the sources. Plain enough for any Node, since the one that reads them comes with `npm
// ci`.
import { existsSync } from 'node:fs';

if (existsSync(new URL('../node_modules/.bin/node', import.meta.url))) {
  process.argv.splice(2, 0, 'serve');
  await import('../src/cli/main.ts');
} else {
  process.stderr.write('earshot: run npm ci first\n');
  process.exitCode = 1;
}
