// Inputs that come through a FIFO.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fifoSource } from '../../../src/library/runtime/files/fifo-source.ts';
import { resolveInputs } from '../../../src/library/runtime/files/inputs.ts';
import { spoolInputs, withFile } from '../../../src/library/runtime/files/spooled-inputs.ts';
import { requireTool } from '../../../src/library/tools/registry.ts';
import { earshot } from '../../cli/support.ts';
import { makeDemoClip } from '../../fixtures/media/demo-clip.ts';
import { slow } from '../../fixtures/rounds.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const folder = temporaryFolder('earshot-fifo-');
const signal = new AbortController().signal;
const tool = requireTool('loudness');

function fifo(name: string): string {
  const path = join(folder, name);
  expect(spawnSync('mkfifo', [path]).status).toBe(0);
  return path;
}
const write = (path: string, command: string): unknown =>
  spawn('sh', ['-c', `{ ${command}; } > "$0"`, path], { stdio: 'ignore' });

describe.skipIf(process.platform === 'win32')('a FIFO', () => {
  it('is read into a file, also by a writer that comes late', async () => {
    const path = fifo('sound.wav');
    const resolved = await resolveInputs(tool, path);
    write(path, 'sleep 0.2; printf one; sleep 0.1; printf two');
    const { inputs, remove } = await spoolInputs(resolved, folder, 100, signal);
    const [file] = inputs['file_id'] ?? [];
    expect(file?.name).toBe('sound.wav');
    expect(readFileSync(file?.path ?? '', 'utf8')).toBe('onetwo');
    await remove();
    write(path, 'printf again');
    expect(await withFile(path, (copy) => readFileSync(copy, 'utf8'))).toBe('again');
  });

  it('that is not written ends with a sentence, or with an abort at once', async () => {
    const path = fifo('silent.wav');
    await expect(withFile(fifoSource(path, 0.05), (copy) => copy)).rejects.toMatchObject({
      code: 'bad_request',
      message: `The stream for file failed: nothing came through ${path} for 0.05 s`,
    });
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 20);
    await expect(withFile(path, (copy) => copy, abort.signal)).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('without end is bounded', async () => {
    const path = fifo('endless.wav');
    const resolved = await resolveInputs(tool, path);
    write(path, 'cat /dev/zero');
    await expect(spoolInputs(resolved, folder, 100_000, signal)).rejects.toMatchObject({ code: 'file_too_large' });
  });

  it('is what a shell’s <(command) gives to every command', slow, async () => {
    writeFileSync(join(folder, 'clip.wav'), makeDemoClip());
    const path = fifo('clip-pipe.wav');
    write(path, `cat ${join(folder, 'clip.wav')}`);
    const run = await earshot(folder, ['loudness', path, '-o', 'louder.wav']);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(join(folder, 'louder.wav')).toString('latin1', 0, 4)).toBe('RIFF');
    write(path, `cat ${join(folder, 'clip.wav')}`);
    expect((await earshot(folder, ['probe', path])).stdout).toContain('wav');
  });
});
