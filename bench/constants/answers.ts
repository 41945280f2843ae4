// What costs much and answers the same to the same question: kept in SQLite, which threads and processes share.
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { deserialize, serialize } from 'node:v8';

export interface Answers {
  /** undefined: not asked before. Values are structured clones. */
  find<Value>(key: string): Value | undefined;
  keep(key: string, value: unknown): void;
}

export function openAnswers(path: string): Answers {
  mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path);
  database.exec('PRAGMA busy_timeout = 60000; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF');
  database.exec('CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, answer BLOB)');
  const find = database.prepare('SELECT answer FROM answers WHERE key = ?');
  const add = database.prepare('INSERT OR IGNORE INTO answers VALUES (?, ?)');
  return {
    find<Value>(key: string) {
      const row = find.get(key) as { readonly answer: Uint8Array } | undefined;
      return row && (deserialize(row.answer) as Value);
    },
    keep: (key, value) => void add.run(key, serialize(value)),
  };
}

export const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);

export const hashOf = (...parts: readonly (string | Uint8Array)[]): string => {
  const hash = createHash('sha1');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};
