// The native watch over a process's memory, held against processes that take some in ways of their own.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { nativeProcesses } from '../../../../src/library/kernels/processes.ts';
import { slow } from '../../../fixtures/rounds.ts';

const mebibyte = 2 ** 20;
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Python, which the native parts are built with anyway: its mmap makes mappings that JavaScript cannot make. */
async function start(script: string): Promise<ChildProcess & { readonly pid: number }> {
  const child = spawn('python3', [
    '-c',
    `import mmap, sys\nprint('ready', flush=True)\nsys.stdin.readline()\n${script}`,
  ]);
  children.push(child);
  await once(child.stdout, 'data');
  return child as ChildProcess & { readonly pid: number };
}

async function endOf(child: ChildProcess): Promise<NodeJS.Signals | number | null> {
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  return signal ?? code;
}

const go = (child: ChildProcess): void => void child.stdin?.write('go\n');

describe.runIf(process.platform === 'linux')('the watch over memory', () => {
  it('ends a process that grows as fast as it can, and says what it used', async () => {
    const child = await start('kept = []\nwhile True: kept.append(bytearray(16 << 20))');
    const limit = 200 * mebibyte;
    const watched = nativeProcesses().memoryWatchStart(child.pid, limit);
    expect(watched).toBeTypeOf('number');
    const end = endOf(child);
    go(child);
    expect(await end).toBe('SIGKILL');
    const { usedBytes, ended } = nativeProcesses().memoryWatchStop(watched as number);
    expect(ended).toBe(true);
    expect(usedBytes).toBeGreaterThan(limit);
  });

  it.each([
    [
      'page tables: 2 MiB of address space cost 4 kB and nothing resident',
      120,
      'room = mmap.mmap(-1, 200 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, prot=mmap.PROT_READ)\n' +
        // Without a copy: a byte of each.
        'while True:\n  for at in range(0, 200 << 30, 2 << 20): room[at]',
    ],
    [
      'what the kernel keeps for threads',
      130,
      'import threading\nthreading.stack_size(65536)\nwait = threading.Event()\n' +
        // Waits: the watch looks when it likes.
        'for each in range(4000): threading.Thread(target=wait.wait, daemon=True).start()\nsys.stdin.readline()',
    ],
  ])('counts %s', slow, async (_what, mebibytes, script) => {
    const child = await start(script);
    const watched = nativeProcesses().memoryWatchStart(child.pid, mebibytes * mebibyte) as number;
    const end = endOf(child);
    go(child);
    expect(await end).toBe('SIGKILL');
    expect(nativeProcesses().memoryWatchStop(watched).ended).toBe(true);
  });

  it('leaves alone what a process has set aside and not touched', async () => {
    const child = await start(
      'room = mmap.mmap(-1, 8 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)\nsys.exit(7)',
    );
    const watched = nativeProcesses().memoryWatchStart(child.pid, 200 * mebibyte) as number;
    const end = endOf(child);
    go(child);
    expect(await end).toBe(7);
    expect(nativeProcesses().memoryWatchStop(watched).ended).toBe(false);
  });

  it('watches several at a time, each against its own limit, and none that is gone', slow, async () => {
    const grown = 'room = bytearray(300 << 20)\nprint(1, flush=True)\nsys.stdin.readline()\nsys.exit(3)';
    const [small, large] = [await start(grown), await start(grown)];
    const kernels = nativeProcesses();
    const watches = [
      kernels.memoryWatchStart(small.pid, 150 * mebibyte) as number,
      kernels.memoryWatchStart(large.pid, 900 * mebibyte) as number,
    ];
    const ends = [endOf(small), endOf(large)];
    const ready = once(large.stdout as NodeJS.ReadableStream, 'data');
    go(small);
    go(large);
    expect(await ends[0]).toBe('SIGKILL');
    await ready;
    go(large);
    expect(await ends[1]).toBe(3);
    expect(watches.map((watched) => kernels.memoryWatchStop(watched).ended)).toEqual([true, false]);
    expect(kernels.memoryWatchStart(small.pid, mebibyte)).toBeUndefined();
    expect(kernels.memoryWatchStop(watches[0] as number)).toEqual({ usedBytes: 0, ended: false });
  });
});
