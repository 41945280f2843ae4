// Copies what the compiler leaves behind: styles of pages, and builds the script that is part of the upload page.
// Usage: copy-page-files.mjs [folder of the compiled library; default: dist]
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPageScript } from './build-site.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'src/service/http/pages/browser');
const target = join(process.argv[2] ?? join(root, 'dist'), 'service/http/pages/browser');

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
for (const name of readdirSync(source)) cpSync(join(source, name), join(target, name));
writeFileSync(join(target, 'upload-page.js'), await buildPageScript('upload-page'));
