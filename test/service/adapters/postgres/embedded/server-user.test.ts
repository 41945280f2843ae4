// Whom PostgreSQL runs as when we are root: from lists of users as systems have them.
import { spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commandAs, unprivilegedUser } from '../../../../../src/service/adapters/postgres/embedded/embedded-install.ts';

const nobodyOfMac = 'nobody:*:-2:-2:Unprivileged User:/var/empty:/usr/bin/false';
const rootOf = 'root:*:0:0:System Administrator:/var/root:/bin/sh';

it.each([
  [
    'macOS',
    `##\n# User Database\n##\n${nobodyOfMac}\n${rootOf}\n_postgres:*:216:216:PostgreSQL Server:/var/empty:/x`,
    216,
  ],
  ['a macOS without it', `${nobodyOfMac}\n${rootOf}`, 4_294_967_294],
  [
    'Debian',
    'root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/x\npostgres:x:105:113::/x:/x',
    105,
  ],
  ['an image without users', 'root:x:0:0:root:/root:/bin/bash\n', undefined],
  ['one whose nobody is root', 'nobody:x:0:0::/:/bin/sh', undefined],
])('of %s', (_, passwd, uid) => expect(unprivilegedUser(passwd)?.uid).toBe(uid));

it.runIf(process.getuid?.() === 0)('the nobody of macOS can own files and run programs', () => {
  const user = unprivilegedUser(nobodyOfMac);
  const { command, args, ids } = commandAs(user, 'id', ['-u']);
  const { stdout, error } = spawnSync(command, args, { encoding: 'utf8', ...ids });
  expect([error, stdout.trim()]).toEqual([undefined, '4294967294']);
  const folder = mkdtempSync(join(tmpdir(), 'earshot-nobody-'));
  try {
    chownSync(folder, user?.uid ?? 0, user?.gid ?? 0);
    expect(statSync(folder).uid).toBe(user?.uid);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
