import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { npmCommand } from '../../scripts/npm.mjs';

const cli = join('node_modules', 'npm', 'bin', 'npm-cli.js');
const beside = join('Program Files', 'nodejs');
const node = join(beside, 'node.exe');

it('npm is a program of its own everywhere but on Windows', () =>
  expect(npmCommand({ system: 'linux', environment: {}, exists: () => false })).toEqual(['npm']));

it.each([
  ['where npm says that it is', { npm_execpath: join('own', 'npm-cli.js') }, join('own', 'npm-cli.js')],
  ['beside Node, also where another manager runs us', { npm_execpath: join('own', 'pnpm.cjs') }, join(beside, cli)],
  ['in PATH, beside npm.cmd', { PATH: ['elsewhere', 'found'].join(delimiter) }, join('found', cli)],
])('on Windows its program is given to Node: %s', (_, environment, path) =>
  expect(npmCommand({ system: 'win32', node, environment, exists: (each) => each === path })).toEqual([node, path]),
);

it('says where it has looked', () =>
  expect(() => npmCommand({ system: 'win32', node, environment: {}, exists: () => false })).toThrow(beside));
