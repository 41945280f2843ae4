#!/usr/bin/env node
// No imports, and syntax that any Node understands: the next module does not load on an old one.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 12)) {
  process.stderr.write(
    `earshot needs Node 22.12 or newer; this is ${process.versions.node}. Install a newer one (https://nodejs.org/) ` +
      'and run the command again.\n',
  );
  process.exitCode = 1;
} else await import('./start.ts');
