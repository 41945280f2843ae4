import { spawn, spawnSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { mainPath } from '../fixtures/built/main-path.ts';
import { makeDemoClip } from '../fixtures/media/demo-clip.ts';

export interface CliRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command line as a shell would. `interruptWhen` sends SIGINT, or another signal, once stdout matches. */
export function earshot(
  cwd: string,
  args: readonly string[],
  {
    interruptWhen,
    signal = 'SIGINT',
    environment = {},
  }: {
    interruptWhen?: RegExp;
    signal?: NodeJS.Signals;
    environment?: Readonly<Record<string, string>>;
  } = {},
): Promise<CliRun> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [mainPath, ...args], {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment },
    });
    let stdout = '';
    let stderr = '';
    let interrupted = false;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (!interrupted && interruptWhen?.test(stdout)) interrupted = child.kill(signal);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** Runs the command line with bytes on standard input; standard output stays bytes. */
export function piped(cwd: string, args: readonly string[], input: Buffer) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [mainPath, ...args], {
    cwd,
    input,
    maxBuffer: 2 ** 24,
  });
  return { code: status, stdout, stderr: stderr.toString() };
}

/** The JSON lines that a run wrote. */
export const jsonLines = ({ stdout }: CliRun): Record<string, unknown>[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

let made: Buffer | undefined;
/** Made once: its voices take a tenth of a second. */
const demoClip = (): Buffer => (made ??= makeDemoClip());

/** A fresh folder with a short recording, clip.wav. */
export function useFolder(): () => string {
  const folders: string[] = [];
  afterEach(() => {
    // A command's compile cache may still be written when it has ended.
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  });
  return () => {
    const folder = mkdtempSync(join(tmpdir(), 'earshot-cli-'));
    folders.push(folder);
    writeFileSync(join(folder, 'clip.wav'), demoClip());
    return folder;
  };
}

/** A WAV of silence that takes no room on the disk: long enough to be interrupted. */
export function writeLongSilence(path: string, minutes: number): void {
  const header = Buffer.from(demoClip().subarray(0, 44));
  const dataBytes = minutes * 60 * 48_000 * 2;
  header.writeUInt32LE(36 + dataBytes, 4);
  header.writeUInt32LE(dataBytes, 40);
  const file = openSync(path, 'w');
  writeSync(file, header);
  ftruncateSync(file, 44 + dataBytes);
  closeSync(file);
}
