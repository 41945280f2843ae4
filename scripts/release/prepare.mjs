// Makes a release and stops before anything leaves this machine: version in package.json, the changelog's
// "Unreleased" under its number and date, packages packed and tried, and the commands that publish them, in their
// order. Usage: prepare.mjs <version> [--skip-trial]
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readJson } from './platform.mjs';
import { npmCommand } from '../npm.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { values, positionals } = parseArgs({
  options: { 'skip-trial': { type: 'boolean', default: false } },
  allowPositionals: true,
});
const [version] = positionals;

const stop = (why) => {
  console.error(`prepare: ${why}`);
  process.exit(1);
};

function run(command, ...args) {
  const { status, stdout } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) stop(`${command} ${args.join(' ')} ended with ${status}`);
  return stdout.trim();
}

if (!/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version ?? ''))
  stop(`Expected a version such as 1.2.3 or 1.3.0-beta.1 but got ${version ?? 'nothing'}`);
if (run('git', 'status', '--porcelain') !== '')
  stop('Expected a checkout without changes: commit them or put them away');
if (run('git', 'tag', '--list', `v${version}`) !== '') stop(`There is a tag v${version} already`);

// "## Unreleased" becomes the version; an empty one takes its place.
const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
const [, unreleased = ''] = /^## Unreleased\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(changelog) ?? [];
if (!/^- /m.test(unreleased)) stop('Expected entries under "## Unreleased" in CHANGELOG.md: what changes for users?');
const today = new Date().toISOString().slice(0, 10);
writeFileSync(
  join(root, 'CHANGELOG.md'),
  changelog.replace('## Unreleased\n', `## Unreleased\n\n## ${version} - ${today}\n`),
);

const manifest = readJson(join(root, 'package.json'));
writeFileSync(join(root, 'package.json'), `${JSON.stringify({ ...manifest, version }, null, 2)}\n`);
run(...npmCommand(), 'install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund');

// Refuses a set that lacks a system: what earshot names and no registry knows breaks every user's `npm ci`.
run(...npmCommand(), 'run', '--silent', 'pack', '--', '--cross');
const packages = join(root, 'packages');
if (!values['skip-trial']) console.log(run(process.execPath, 'scripts/release/try-packages.mjs'));

// An install of earshot must find its dependencies: systems first, the weights next, earshot last.
const rank = (name) => (name.startsWith('earshot-models-') ? 1 : /^earshot-\d/.test(name) ? 2 : 0);
const ordered = readdirSync(packages)
  .filter((name) => name.endsWith('.tgz'))
  .toSorted((a, b) => rank(a) - rank(b));
const script = [
  '#!/bin/sh',
  `# Publishes ${version}. What is there already is passed over, so that it may be run again.`,
  'set -eu',
  'cd "$(dirname "$0")"',
  'publish() {',
  '  npm view "$1" version >/dev/null 2>&1 && echo "$1 is there" && return',
  // Provenance is only to be had where the build runs in public CI; elsewhere npm says so and stops.
  `  npm publish "./$2" --access public --tag ${version.includes('-') ? 'next' : 'latest'} $PROVENANCE`,
  '}',
  'PROVENANCE=${CI:+--provenance}',
  ...ordered.map((name) => `publish ${name.replace(/-(\d.*)\.tgz$/, '@$1')} ${name}`),
  '',
].join('\n');
writeFileSync(join(packages, 'publish.sh'), script, { mode: 0o755 });

console.log(`${version} is ready in packages/. Nothing has been published, committed or tagged. What is left:

  git commit -am ${version} && git tag -a v${version} -m ${version}
  git push --follow-tags
  sh packages/publish.sh
`);
