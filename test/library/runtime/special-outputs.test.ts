// Outputs that are no regular files, names that are too long, folders that may not be written.
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { skipHere } from '../../fixtures/missing-part.ts';
import { createEngine, type EarshotError, type ToolRun, type Warning } from '../../../src/index.ts';
import { makeDemoClip } from '../../fixtures/media/demo-clip.ts';
import { earshot } from '../../cli/support.ts';
import { slow } from '../../fixtures/rounds.ts';

const engine = createEngine({ concurrency: 1 });
const folders: string[] = [];
afterAll(async () => {
  await engine.close();
  for (const folder of folders) {
    spawnSync('chmod', ['-R', 'u+w', folder]);
    rmSync(folder, { recursive: true, force: true });
  }
});
let folder = '';
let clip = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'earshot-special-'));
  folders.push(folder);
  clip = join(folder, 'clip.wav');
  writeFileSync(clip, makeDemoClip());
});

const convert = (output: string, more: object = {}): Promise<ToolRun<'convert_audio'>> =>
  engine.run('convert_audio', clip, { format: 'flac' }, { output, ...more });
const failureOf = async (promise: Promise<unknown>): Promise<EarshotError> => {
  const thrown: unknown = await promise.then(
    () => null,
    (error: unknown) => error,
  );
  expect(thrown).toMatchObject({ name: 'EarshotError' });
  return thrown as EarshotError;
};
const isFlac = (data: Buffer): boolean => data.toString('latin1', 0, 4) === 'fLaC';

describe('outputs that are no files', () => {
  it.for([true, false])('a device is written into and stays one; overwrite %s', slow, async (overwrite, context) => {
    const device = join(folder, 'null.flac');
    if (spawnSync('mknod', [device, 'c', '1', '3']).status !== 0) skipHere(context, 'no permission to make a device');
    const run = await convert(device, { overwrite });
    expect(run.outputs.map(({ path }) => path)).toEqual([device]);
    expect(lstatSync(device).isCharacterDevice()).toBe(true);
    expect(readdirSync(folder).sort()).toEqual(['clip.wav', 'null.flac']);
  });

  it('the command line writes into a device without -y', slow, async (context) => {
    const device = join(folder, 'null.flac');
    if (spawnSync('mknod', [device, 'c', '1', '3']).status !== 0) skipHere(context, 'no permission to make a device');
    const run = await earshot(folder, ['convert', 'clip.wav', '--format', 'flac', '-o', 'null.flac']);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect((await earshot(folder, ['media-info', 'clip.wav', '-o', 'null.flac'])).code).toBe(0);
    expect((await earshot(folder, ['peaks', 'clip.wav', '-o', 'null.flac'])).code).toBe(0);
    expect(lstatSync(device).isCharacterDevice()).toBe(true);
  });

  it('a FIFO gets the file when somebody reads from it, however late', slow, async () => {
    const fifo = join(folder, 'pipe.flac');
    expect(spawnSync('mkfifo', [fifo]).status).toBe(0);
    const running = convert(fifo);
    const copy = join(folder, 'copy.flac');
    const reader = spawn('sh', ['-c', 'sleep 2; cat "$0" > "$1"', fifo, copy]);
    const read = new Promise((resolve) => reader.once('close', resolve));
    await running;
    await read;
    expect(isFlac(readFileSync(copy))).toBe(true);
    expect(lstatSync(fifo).isFIFO()).toBe(true);
    const plain = await convert(join(folder, 'plain.flac'));
    expect(readFileSync(copy).equals(readFileSync(plain.outputs[0]?.path ?? ''))).toBe(true);
  });

  it('waiting for a reader ends with an abort', slow, async () => {
    const fifo = join(folder, 'pipe.flac');
    expect(spawnSync('mkfifo', [fifo]).status).toBe(0);
    const abort = new AbortController();
    const running = convert(fifo, { signal: abort.signal });
    setTimeout(() => abort.abort(), 2500);
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('several outputs do not fit into one device', slow, async (context) => {
    const device = join(folder, 'null.wav');
    if (spawnSync('mknod', [device, 'c', '1', '3']).status !== 0) skipHere(context, 'no permission to make a device');
    const options = {
      ranges: [
        [1, 2],
        [3, 4],
      ],
      mode: 'keep',
      output: 'separate',
    } as const;
    const error = await failureOf(engine.run('cut_audio', clip, options, { output: device }));
    expect(error).toMatchObject({ code: 'bad_request', message: expect.stringContaining('2 outputs') as string });
  });

  it('a socket is refused before the work', async () => {
    const path = join(folder, 'socket');
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(path, resolve));
    try {
      expect(await failureOf(convert(path))).toMatchObject({
        code: 'bad_request',
        message: expect.stringContaining('is a socket') as string,
      });
    } finally {
      server.close();
    }
  });

  it('a symbolic link stays one; its file is replaced', async () => {
    const target = join(folder, 'target.flac');
    const link = join(folder, 'link.flac');
    writeFileSync(target, 'old');
    symlinkSync(target, link);
    await convert(link, { overwrite: true });
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(isFlac(readFileSync(target))).toBe(true);
    const dangling = join(folder, 'dangling.flac');
    symlinkSync(join(folder, 'nowhere'), dangling);
    expect((await failureOf(convert(dangling))).message).toContain('broken symbolic link');
  });
});

describe('long names', () => {
  it('an output name that no file system takes is refused before the work, in our words', async () => {
    const progress: string[] = [];
    const error = await failureOf(
      convert(join(folder, `${'x'.repeat(300)}.flac`), {
        onProgress: ({ stage }: { stage: string }) => progress.push(stage),
      }),
    );
    expect(error.code).toBe('bad_request');
    expect(error.message).toContain('too long');
    expect(error.message).not.toContain('ENAMETOOLONG');
    expect(new Set(progress)).toEqual(new Set(['queued']));
  });

  it('a name that fits to the byte is written', async () => {
    const name = `${'ä'.repeat(125)}.flac`;
    expect(Buffer.byteLength(name)).toBe(255);
    const run = await convert(join(folder, name));
    expect(run.outputs[0]?.filename).toBe(name);
  });

  it('names that the run makes are shortened to fit', async () => {
    const long = join(folder, `${'ß'.repeat(124)}.wav`);
    writeFileSync(long, makeDemoClip());
    const run = await engine.run(
      'convert_audio',
      long,
      { format: 'flac' },
      {
        outputDir: folder,
        nameOutput: (name) => name.replace('.flac', '.convert.flac'),
        windowSeconds: 2,
      },
    );
    const { filename = '' } = run.outputs[0] ?? {};
    expect(Buffer.byteLength(filename)).toBeLessThanOrEqual(255);
    expect(filename).toMatch(/^ß+.*\.flac$/);
    expect(existsSync(join(folder, filename))).toBe(true);
  });

  it('an input whose name is too long', async () => {
    const error = await failureOf(engine.run('convert_audio', join(folder, `${'y'.repeat(300)}.wav`)));
    expect(error.message).toMatch(/too long/);
    expect(error.message).not.toContain('ENAMETOOLONG');
  });
});

it('a folder that may not be written: said of the folder, not of what is temporary in it', async (context) => {
  const closed = join(folder, 'closed');
  mkdirSync(closed);
  chmodSync(closed, 0o555);
  const fits = (message: string): void => {
    expect(message).toContain(closed);
    expect(message).not.toMatch(/EACCES|\.earshot-/);
  };
  if (process.getuid?.() === 0) {
    const { makeWorkFolder } = await import('../../../src/library/runtime/files/work-folder.ts');
    // Root may write everywhere but on what is no real file system.
    const path = '/proc/self';
    if (!existsSync(path)) skipHere(context, 'root may write everywhere');
    const error = await failureOf(makeWorkFolder(path));
    expect(error.message).toContain(path);
    expect(error.message).not.toMatch(/EACCES|ENOENT|\.earshot-/);
    return;
  }
  fits((await failureOf(convert(join(closed, 'out.flac')))).message);
});

it('a name that promises another format is said; one of its kin is not', async () => {
  const codes = async (name: string): Promise<string[]> =>
    (await convert(join(folder, name))).warnings.map(({ code }) => code);
  expect(await codes('x.mkv')).toEqual(['extension_mismatch']);
  expect(await codes('x.flac')).toEqual([]);
  expect(await codes('x.bin')).toEqual([]);
});

it('a warning is given once, however many passes there are', slow, async () => {
  // Loudness in MP3 is written again where the codec overshoots; 96 kHz is said to become 48 kHz each time.
  const heard: Warning[] = [];
  const path = join(folder, 'low.wav');
  const clipBytes = makeDemoClip();
  clipBytes.writeUInt32LE(96_000, 24);
  clipBytes.writeUInt32LE(192_000, 28);
  writeFileSync(path, clipBytes);
  const run = await engine.run(
    'adjust_loudness',
    path,
    { target: 'custom', custom_lufs: -6, output_format: 'mp3' } as never,
    {
      onWarning: (warning) => heard.push(warning),
      output: join(folder, 'low.mp3'),
    },
  );
  const keys = run.warnings.map(({ code, message }) => `${code} ${message}`);
  expect(keys.length).toBeGreaterThan(0);
  expect(new Set(keys).size).toBe(keys.length);
  expect(heard).toEqual(run.warnings);
  expect(statSync(run.outputs[0]?.path ?? '').size).toBeGreaterThan(1000);
});
