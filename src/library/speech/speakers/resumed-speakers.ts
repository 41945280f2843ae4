// What an interrupted run has heard of the speakers is not heard again.
import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { FinishedParts } from '../../core/progress/finished-parts.ts';
import type { JsonValue } from '../../core/json.ts';
import type { SpeakerTurn } from './speaker-turn.ts';

/** What the turns depend on, besides the recording: networks, number of speakers. */
export type HearingIdentity = Readonly<Record<string, JsonValue | undefined>>;

/** The finished parts of finding speakers. Embeddings are too large to keep: 1 kB for each two seconds of speech. */
export interface HeardParts {
  /** The frames of these windows, one byte each; null: not heard yet. @param bytes their number */
  windows(starts: readonly number[], bytes: number): Uint8Array | null;
  addWindows(starts: readonly number[], voices: Uint8Array): void;
  /** null: not found yet */
  turns(): SpeakerTurn[] | null;
  addTurns(turns: readonly SpeakerTurn[]): void;
}

const isTurn = (value: unknown): boolean => {
  const { speaker, startSeconds, endSeconds } = (value ?? {}) as Partial<Record<keyof SpeakerTurn, unknown>>;
  return Number.isInteger(speaker) && Number.isFinite(startSeconds) && Number.isFinite(endSeconds);
};

/** The bytes, if there are so many of them; null for anything else. */
function unpack(value: unknown, bytes: number): Uint8Array | null {
  if (typeof value !== 'string') return null;
  try {
    const unpacked = inflateRawSync(Buffer.from(value, 'base64'), { maxOutputLength: bytes });
    return unpacked.length === bytes ? unpacked : null;
  } catch {
    return null;
  }
}

export function heardParts(identity: HearingIdentity, parts: FinishedParts): HeardParts {
  const keyOf = (kind: string, of: JsonValue): string =>
    `${kind} ${createHash('sha256')
      .update(JSON.stringify([identity, of]))
      .digest('hex')}`;
  const windowsKey = (starts: readonly number[]): string => keyOf('voices', [...starts]);
  const turnsKey = keyOf('turns', null);
  return {
    windows: (starts, bytes) => unpack(parts.get(windowsKey(starts)), bytes),
    addWindows: (starts, voices) =>
      parts.add({ key: windowsKey(starts), value: deflateRawSync(voices).toString('base64') }),
    turns() {
      const value = parts.get(turnsKey);
      return Array.isArray(value) && value.every(isTurn) ? (value as unknown as SpeakerTurn[]) : null;
    },
    addTurns: (turns) => parts.add({ key: turnsKey, value: turns as unknown as JsonValue }),
  };
}
