// The voices that this user has added: one file, which no one else may read.
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { checkVoiceName, checkVoicePrint, everyVoice, isSameName } from '../../library/contract/voice-print.ts';
import type { KnownVoice } from '../../library/contract/voice-print.ts';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { pathError } from '../../library/core/errors/file-errors.ts';
import { renameFileSync } from '../../library/core/files/rename-file.ts';
import { dataFolder } from '../../library/models/folders.ts';

export interface StoredVoice extends KnownVoice {
  /** What the person has agreed to, in the words of who added it. */
  readonly consent: string;
  /** ISO 8601. */
  readonly addedAt: string;
}

const format = 'earshot-voices';

/** EARSHOT_VOICES names another file. */
export const voicesFile = (): string =>
  resolve(process.env['EARSHOT_VOICES'] || join(dataFolder(process.env), 'earshot', 'voices.json'));

/**
 * Reads a file of voices, also one that was exported.
 * @throws EarshotError bad_request for what is none; not_found
 */
export function readVoicesOf(path: string, nextAction = 'Choose a file of `earshot voices export`.'): StoredVoice[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (thrown) {
    throw pathError(thrown, path, 'input');
  }
  try {
    const read = JSON.parse(text) as { readonly format?: unknown; readonly voices?: unknown };
    if (read.format !== format || !Array.isArray(read.voices)) throw new TypeError('another format');
    return (read.voices as Record<string, unknown>[]).map(({ name, consent, addedAt, print }) => ({
      name: checkVoiceName(String(name)),
      consent: String(consent),
      addedAt: String(addedAt),
      print: checkVoicePrint(print),
    }));
  } catch (thrown) {
    throw new EarshotError('bad_request', `Expected voices in ${path} but it is damaged, or something else`, {
      nextAction,
      // What JSON.parse says may hold a part of the file.
      ...(thrown instanceof EarshotError ? { cause: thrown } : {}),
    });
  }
}

export function storedVoices(): StoredVoice[] {
  const path = voicesFile();
  if (!existsSync(path)) return [];
  // Copied back from somewhere, it may be readable by all.
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  return readVoicesOf(path, 'Restore the file, or remove it and add the voices again.');
}

/** Writes a file that only this user can read, in one step. */
export function writeVoicesTo(path: string, voices: readonly StoredVoice[]): void {
  const fresh = `${path}.${process.pid}.part`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const sorted = voices.toSorted((a, b) => a.name.localeCompare(b.name));
    writeFileSync(fresh, `${JSON.stringify({ format, version: 1, voices: sorted }, null, 1)}\n`, { mode: 0o600 });
    renameFileSync(fresh, path);
  } catch (thrown) {
    throw pathError(thrown, path, 'output');
  }
}

/** @throws EarshotError not_found */
export function requireVoice<Voice extends KnownVoice>(voices: readonly Voice[], name: string): Voice {
  const found = voices.find((voice) => isSameName(voice.name, name));
  if (found === undefined)
    throw new EarshotError('not_found', `There is no voice named ${name.trim()} here`, {
      nextAction: '`earshot voices list` shows those that there are; `earshot voices add` adds one.',
    });
  return found;
}

/**
 * The voices for a run that asks for some.
 * @throws EarshotError not_found for a name that is not there
 */
export function voicesFor(names: readonly string[]): KnownVoice[] {
  const voices = storedVoices();
  for (const name of names) if (!isSameName(name, everyVoice)) requireVoice(voices, name);
  return voices.map(({ name, print }) => ({ name, print }));
}
