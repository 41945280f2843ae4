// A process that ends the built-in PostgreSQL with its last user, on Windows: whatever ended those, the system closes their
// connections. It loads nothing but Node.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

interface Told {
  readonly pipe: string;
  readonly dataDir: string;
  /** Of the server. */
  readonly pid: number;
  /** What ends it. */
  readonly command: readonly string[];
  readonly ids: { readonly uid?: number; readonly gid?: number };
}

const { pipe, dataDir, pid, command, ids } = JSON.parse(process.argv[2] ?? '{}') as Told;
/** Whoever started us comes at once, unless it was killed. */
const firstUserMs = 60_000;
let users = 0;

function end(): void {
  // From here on a user finds nobody, and waits for the end of the server or sets a guard of its own.
  server.close();
  if (isStillOurs()) {
    const [file = '', ...args] = command;
    spawn(file, args, { cwd: '/', stdio: 'ignore', windowsHide: true, ...ids }).on('error', () => undefined);
  }
  clearInterval(watching);
}

/** The server may have ended, or started anew, meanwhile. */
function isStillOurs(): boolean {
  try {
    return Number(readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n')[0]) === pid;
  } catch {
    return false;
  }
}

const server = createServer((socket) => {
  users += 1;
  socket.resume();
  socket.on('error', () => undefined);
  socket.on('close', () => {
    users -= 1;
    if (users === 0) end();
  });
});
// Another guard was faster.
server.on('error', () => process.exit(0));
server.listen(pipe);
const watching = setInterval(() => {
  if (!isStillOurs()) process.exit(0);
}, 1000);
setTimeout(() => {
  if (users === 0) end();
}, firstUserMs).unref();
