import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const room = 'src/library/core/files/rename-file.ts';
const imported = /import \{[^}]*\brename(?:Sync)?\b[^}]*\} from '(?:node:)?fs(?:\/promises)?'/;

it('files are renamed in one place, which knows what Windows does with open ones', () => {
  const renaming = globSync('src/**/*.ts', { cwd: root }).filter((path) =>
    imported.test(readFileSync(`${root}${path}`, 'utf8')),
  );
  expect(renaming).toContain(room);
  expect(renaming.filter((path) => path !== room)).toEqual([]);
});
