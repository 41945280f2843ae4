// Copies what the compiler leaves behind: scripts and styles of pages, which browsers get as they are.
// Usage: copy-page-files.mjs [folder of the compiled library; default: dist]
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'src/service/http/pages/browser');
const target = join(process.argv[2] ?? join(root, 'dist'), 'service/http/pages/browser');

rmSync(target, { recursive: true, force: true });
for (const name of readdirSync(source)) if (/\.(?:js|css)$/.test(name)) cpSync(join(source, name), join(target, name));
