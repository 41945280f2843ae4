// Writes docs/reference from the declarations, the docstrings, the program's help and openapi.json.
// Usage: npm run reference, or with --check to be told which pages are stale
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tools } from '../src/library/tools/registry.ts';
import { cliPage } from './reference/cli-page.ts';
import { libraryPage } from './reference/library-page.ts';
import { openapiDocument } from './reference/openapi-document.ts';
import { restPage } from './reference/rest-page.ts';
import { limitsPage } from './reference/limits-page.ts';
import { errorsPage, toolsPage } from './reference/tools-page.ts';

const folder = fileURLToPath(new URL('../docs/reference/', import.meta.url));
const pages: Readonly<Record<string, string>> = {
  'tools.md': toolsPage(tools),
  'rest-api.md': restPage(await openapiDocument()),
  'errors.md': errorsPage(),
  'limits.md': limitsPage(),
  'command-line.md': await cliPage(),
  'library.md': libraryPage(),
};

if (!process.argv.includes('--check')) {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(pages)) writeFileSync(join(folder, name), text);
} else {
  const stale = Object.entries(pages).filter(([name, text]) => readFileSync(join(folder, name), 'utf8') !== text);
  for (const [name] of stale)
    process.stderr.write(`docs/reference/${name} is stale: \`npm run reference\` makes it anew\n`);
  if (stale.length > 0) process.exitCode = 1;
}
