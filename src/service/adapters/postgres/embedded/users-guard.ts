// The guard process on Windows: ends the embedded PostgreSQL with its last user. The system closes a user's connection
// for any reason of its end. Imports only Node modules.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

interface Told {
  readonly pipe: string;
  readonly dataDir: string;
  /** Process id of the server. */
  readonly pid: number;
  /** The command that stops it. */
  readonly command: readonly string[];
  readonly ids: { readonly uid?: number; readonly gid?: number };
}

const { pipe, dataDir, pid, command, ids } = JSON.parse(process.argv[2] ?? '{}') as Told;
/** The starter connects at once, unless it was killed. */
const firstUserMs = 60_000;
let users = 0;

function end(): void {
  // From here on new users cannot connect, and wait for the server's end or start another guard.
  server.close();
  if (isStillOurs()) {
    const [file = '', ...args] = command;
    spawn(file, args, { cwd: '/', stdio: 'ignore', windowsHide: true, ...ids }).on('error', () => undefined);
  }
  clearInterval(watching);
}

/** The server may have exited or restarted meanwhile. */
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
// Another guard already listens.
server.on('error', () => process.exit(0));
server.listen(pipe);
const watching = setInterval(() => {
  if (!isStillOurs()) process.exit(0);
}, 1000);
setTimeout(() => {
  if (users === 0) end();
}, firstUserMs).unref();
