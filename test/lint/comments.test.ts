// Files and names that comments cite are there: a comment that names what has moved misleads more than none.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const slashes = (path: string): string => path.replaceAll('\\', '/');

/** Files that comments cite and that are elsewhere, by the end of their path. */
const elsewhere: Readonly<Record<string, string>> = {
  'openapi.json': 'served by the API',
  'model.json': 'in the folder of an added model',
  'whisper/transcribe.py': 'of openai/whisper',
  'whisper/decoding.py': 'of openai/whisper',
  'whisper/timing.py': 'of openai/whisper',
  'tokenizer.py': 'of openai/whisper',
  'preprocessing/features.py': 'of NVIDIA/NeMo',
  f_type: 'a field of statfs(2)',
  pluginTimeout: 'an option of Fastify',
  rnnoise_process_frame: 'a function of RNNoise',
};

interface Comment {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/**
 * Every way to name a file: "src/a/b.ts", "a/b.ts", "b.ts", and the same without an extension where it has a folder.
 */
const paths = new Set<string>();
const words = new Set<string>();
const comments: Comment[] = [];

for (const path of globSync('{src,bench,scripts,test,native,docs,deploy,models,samples,.github}/**/*', {
  cwd: root,
  exclude: (name) => /(?:^|\/)(?:node_modules|build)$/.test(slashes(name)),
}).concat(globSync('*', { cwd: root }))) {
  const parts = slashes(path).split('/');
  for (const at of parts.keys()) {
    const end = parts.slice(at).join('/');
    paths.add(end);
    if (end.includes('/')) paths.add(end.replace(/\.\w+$/, ''));
  }
}
for (const file of globSync('{src,bench,scripts,test}/**/*.{ts,js,mjs}', { cwd: root }).map(slashes)) {
  const source = readFileSync(join(root, file), 'utf8');
  const parsed = parseSync(file, source).comments;
  let code = '';
  let at = 0;
  for (const { start, end, value } of parsed) {
    code += source.slice(at, start);
    at = end;
    if (file.startsWith('src/')) comments.push({ file, line: source.slice(0, start).split('\n').length, text: value });
  }
  for (const [word] of (code + source.slice(at)).matchAll(/[A-Za-z_$][\w$]*/g)) words.add(word);
}
for (const file of globSync('native/**/*.{c,cc,h}', { cwd: root }))
  for (const [word] of readFileSync(join(root, file), 'utf8').matchAll(/[A-Za-z_]\w*/g)) words.add(word);

/** What a comment cites: files by their ending, paths that begin in a folder of ours, names in backticks. */
function cited(text: string): { files: string[]; names: string[] } {
  const all = (pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found = '']) => found);
  return {
    files: [
      ...all(/(?<![\w@*{./-])(?:\.{1,2}\/)*([\w-][\w.-]*(?:\/[\w.-]+)*\.(?:ts|mjs|cc|h|md|json|py))\b/g),
      ...all(/(?<![\w`/.-])((?:src|test|docs|scripts|bench|native)\/[\w/-]*\w)(?![\w.*/{<-])/g),
    ],
    names: all(/`([A-Za-z_$][\w$]*)(?:\(\))?`/g).filter((name) => /[a-z][A-Z]|_/.test(name)),
  };
}

const known = (name: string): boolean => Object.keys(elsewhere).some((end) => name === end || name.endsWith(`/${end}`));

it('files that comments of src name exist', () => {
  expect(comments.length).toBeGreaterThan(4000);
  const missing = comments.flatMap(({ file, line, text }) =>
    cited(text)
      .files.filter((name) => !paths.has(name) && !known(name))
      .map((name) => `${file}:${line}: ${name}`),
  );
  expect(missing).toEqual([]);
});

it('names in backticks exist somewhere in the code', () => {
  const missing = comments.flatMap(({ file, line, text }) =>
    cited(text)
      .names.filter((name) => !words.has(name) && !known(name))
      .map((name) => `${file}:${line}: ${name}`),
  );
  expect(missing).toEqual([]);
});

it('a citation is found in each form', () => {
  const { files, names } = cited('see core/gone.ts, gone.md and src/library/gone, and `goneName` or `gone_name()`');
  expect(files).toEqual(['core/gone.ts', 'gone.md', 'src/library/gone']);
  expect(names).toEqual(['goneName', 'gone_name']);
  expect(files.filter((name) => paths.has(name))).toEqual([]);
});
