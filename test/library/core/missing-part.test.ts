import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { EarshotError } from '../../../src/library/core/errors/errors.ts';
import { installAgain, missingPartSaid, systemName } from '../../../src/library/core/native-files.ts';
import { slow } from '../../fixtures/rounds.ts';

const coded = (code: string, message: string): Error => Object.assign(new Error(message), { code });
/** As node-av 6.1.1 throws it. */
const ofNodeAv = (...why: string[]): Error =>
  new Error(`Could not load the node-av native binding for linux-x64.\nErrors:\n  ${why.join('\n  ')}\n\n`);
const said = (thrown: unknown): object => EarshotError.from(thrown).toJSON();

it.each([
  [
    'a package of libraries',
    ofNodeAv(
      'Platform package not found or loading failed: Error: Cannot find module ' +
        "'@seydx/node-av-linux-x64/node-av.node'\nRequire stack:\n- " +
        '/srv/app/node_modules/earshot/dist/library/chunks/work.js',
    ),
    `FFmpeg's libraries for ${systemName} are not installed`,
    '--include=optional',
  ],
  [
    'libraries of another system',
    ofNodeAv(
      "Platform package not found or loading failed: Error: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.28' " +
        'not found (required by /srv/app/node_modules/@seydx/node-av-linux-x64/node-av.node)',
    ),
    "FFmpeg's libraries do not load on this system: libc.so.6: version `GLIBC_2.28' not found (required by " +
      'node-av.node)',
    'docs/installing.md',
  ],
  [
    'a package',
    coded(
      'ERR_MODULE_NOT_FOUND',
      "Cannot find package 'piscina' imported from /srv/app/node_modules/earshot/dist/index.js",
    ),
    'The package piscina, which Earshot needs, is not installed',
    'npm install',
  ],
  [
    'a package that is required',
    coded('MODULE_NOT_FOUND', "Cannot find module '@scope/name'\nRequire stack:\n- /srv/app/x.js"),
    'The package @scope/name, which Earshot needs, is not installed',
    'npm install',
  ],
  [
    'a file',
    coded(
      'ERR_MODULE_NOT_FOUND',
      "Cannot find module '/srv/app/dist/library/tools/x/run.js' imported from /srv/app/dist/index.js",
    ),
    'The file run.js of Earshot is missing',
    'whole package',
  ],
])('%s that is missing is tool_unavailable with what brings it', (_, thrown, message, nextAction) => {
  expect(said(thrown)).toEqual({
    code: 'tool_unavailable',
    message,
    retryable: false,
    nextAction: expect.stringContaining(nextAction),
    // Another machine may have it.
    details: { machineLacks: 'installation' },
  });
  expect(JSON.stringify(said(thrown))).not.toContain('/srv');
});

it('what fails otherwise is no missing part', () => {
  for (const thrown of [coded('ERR_REQUIRE_ESM', "Cannot find module 'x'"), new Error("Cannot find module 'x'"), 'x'])
    expect(said(thrown)).toMatchObject({ code: 'internal_error' });
});

it('a process that ended says it on its stderr', slow, () => {
  const code = (...imports: string[]): string => imports.map((name) => `import ${JSON.stringify(name)};`).join('');
  const say = (source: string): string =>
    spawnSync(process.execPath, ['--input-type=module', '-e', source], { encoding: 'utf8' }).stderr;
  const { message } = ofNodeAv(
    "Platform package not found or loading failed: Error: Cannot find module '@seydx/x/y.node'",
  );
  expect(missingPartSaid(say(`throw new Error(${JSON.stringify(message)})`))?.message).toMatch(
    /^FFmpeg's .* are not inst/,
  );
  expect(missingPartSaid(say(code('no-such-package')))?.message).toContain('no-such-package, which Earshot needs');
  expect(missingPartSaid(say(code('/nowhere/else.js')))?.message).toContain('The file else.js of Earshot');
  const { stderr } = spawnSync(process.execPath, ['/nowhere/job-process.js'], { encoding: 'utf8' });
  expect(missingPartSaid(stderr)?.message).toContain('The file job-process.js of Earshot');
  for (const text of ['', say('throw new Error("Cannot find a window")'), 'Cannot find a display'])
    expect(missingPartSaid(text)).toBe(null);
});

it('systems without packages are told something else', () => {
  const said = installAgain('Build it.');
  if (/^(?:linux|darwin|win32)-(?:x64|arm64)$/.test(systemName))
    expect(said).toContain('npm install --include=optional');
  else expect(said).toBe('Build it.');
});
