// What pages point to is there (`npm run docs:check`): files and headings behind links, paths, npm scripts and flags in
// code. Pages are all Markdown files of the repository's own; generated ones, too.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const pages = globSync(['*.md', '{docs,samples,models,deploy,bench,test/recordings}/**/*.md'], { cwd: root });
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const problems = [];
/** `npm run` knows these in the published package alone: scripts/release/pack.mjs. */
const scriptsOfPackages = new Set(['build-native']);
/** In examples of what a reader adds. */
const madeByReaders = new Set([
  'src/library/speech/languages/ca.ts',
  'src/library/speech/recognise/canary/recognise-canary.ts',
  'test/service/adapters/memory/object-store.test.ts',
]);

/** Fenced and indented code is no text: what looks like a link there is none. */
const withoutCode = (text) => text.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/^ {4}.*$/gm, '');

/** The anchor that forges make of a heading. */
const anchorOf = (heading) =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

const anchors = new Map();
function anchorsOf(file) {
  let known = anchors.get(file);
  if (known === undefined) {
    const text = withoutCode(readFileSync(file, 'utf8'));
    known = new Set([...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading)));
    anchors.set(file, known);
  }
  return known;
}

function checkLink(page, target) {
  if (/^[a-z]+:/.test(target)) return;
  const [path, anchor] = target.split('#');
  const file = path === '' ? join(root, page) : resolve(root, dirname(page), path);
  if (!existsSync(file)) problems.push(`${page}: links to ${target}, and ${relative(root, file)} is not there`);
  else if (anchor !== undefined && file.endsWith('.md') && !anchorsOf(file).has(anchor))
    problems.push(`${page}: links to ${target}, and there is no such heading`);
}

/** Help of each command, as docs/reference has it, by the command's name. */
const helps = new Map(
  readFileSync(join(root, 'docs/reference/command-line.md'), 'utf8')
    .split(/^## earshot /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), section]),
);

/** Flags behind a command are flags that it has. */
function checkFlags(page, text) {
  for (const [, first, second, rest] of text.matchAll(/\bearshot ([a-z-]+)(?: ([a-z-]+))?([^\n`|#)]*)/g)) {
    const command = helps.has(`${first} ${second}`) ? `${first} ${second}` : first;
    const help = helps.get(command);
    if (help === undefined) continue;
    for (const [flag] of rest.matchAll(/(?<=\s)--[a-z][a-z-]*/g))
      if (!new RegExp(`${flag}(?![a-z-])`).test(help)) problems.push(`${page}: earshot ${command} has no ${flag}`);
  }
}

for (const page of pages) {
  const text = readFileSync(join(root, page), 'utf8');
  if (!page.startsWith('docs/reference/')) checkFlags(page, text);
  for (const [, target] of withoutCode(text).matchAll(/\]\(([^()\s]+)\)/g)) checkLink(page, target);
  if (page === 'CHANGELOG.md') continue; // what it names may have gone since
  // Until the packages are on npm.
  if (/npm install earshot/.test(text) && !/#before-the-first-release|^## Before the first release/m.test(text))
    problems.push(`${page}: says npm install earshot, and not how to install before the first release`);
  for (const [, name] of text.matchAll(/npm run (?:-s )?([\w:-]+)/g))
    if (scripts[name] === undefined && !scriptsOfPackages.has(name))
      problems.push(`${page}: names npm run ${name}, which is no script of package.json`);
  for (const [, path] of text.matchAll(/[`\s](?:\.\/)?((?:src|test|bench|scripts|native|deploy|docs)\/[\w./-]*\w)/g))
    if (!existsSync(join(root, path)) && !madeByReaders.has(path) && !/^[<*{/]/.test(text.split(path)[1] ?? ''))
      problems.push(`${page}: names ${path}, which is not there`);
}

if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exit(1);
}
console.log(`docs:check: links, paths, scripts and flags of ${pages.length} pages lead somewhere`);
