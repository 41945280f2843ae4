// The example of the front page: docs/samples/talk.opus as it was recorded and without its noise, both at -16 LUFS, so
// that neither sounds better for being louder. Made where the website is built; src/site/example.json says what is in
// it.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
export const exampleSource = join(root, 'docs/samples/talk.opus');

/** The command that makes each. */
const commands = { 'example-before.mp3': 'loudness', 'example-after.mp3': 'remove-noise' };
export const exampleSounds = Object.keys(commands);

/** As the figures in example.json were measured. */
const engine = 'deepfilternet3';

/**
 * @param {string} name one of exampleSounds
 * @returns {Promise<Buffer>}
 * @throws where the sound cannot be made as example.json describes it: without the model, for instance
 */
export async function makeExample(name) {
  const folder = await mkdtemp(join(tmpdir(), 'earshot-example-'));
  try {
    const made = join(folder, name);
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(root, 'src/cli/main.ts'), commands[name], exampleSource, '-o', made, '--json'],
      { env: { ...process.env, EARSHOT_LOG_LEVEL: 'error' }, maxBuffer: 2 ** 24 },
    );
    const { result } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}');
    if (result?.engine !== undefined && result.engine !== engine)
      throw new Error(`Expected ${engine} to make ${name}, but ${result.engine} did`);
    return await readFile(made);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
