import { EarshotError } from '../../core/errors/errors.ts';
import type { Balance } from '../../dsp/denoise/passages/balance.ts';

interface Asked {
  readonly noise_reduction: number;
  readonly method: 'voice' | 'steady';
  readonly voice_db: number;
  readonly room_db?: number;
  readonly music_db: number;
}

const refused = (message: string): EarshotError => new EarshotError('bad_request', message);

/** Refuses levels that say the same thing twice, or have nothing to work on. */
export function checkLevels({ noise_reduction, method, voice_db, room_db, music_db }: Asked): void {
  if (room_db !== undefined && noise_reduction !== 100)
    throw refused('Expected either noise_reduction or room_db but received both: each says how much of the room stays');
  const named = voice_db !== 0 ? 'voice_db' : music_db !== 0 ? 'music_db' : null;
  if (method === 'steady' && named !== null)
    throw refused(`Expected method voice with ${named} but it is steady, which tells neither voices nor music apart`);
}

const factor = (db: number): number => 10 ** (db / 20);

/** Share of the room that is left, as a factor of the amplitude. */
export const roomShare = ({ noise_reduction, room_db }: Asked): number =>
  room_db === undefined ? 1 - noise_reduction / 100 : factor(room_db);

/** null: voices and music are as loud as they were. */
export function balanceOf(asked: Asked): Balance | null {
  const { voice_db, music_db } = asked;
  if (voice_db === 0 && music_db === 0) return null;
  return { voice: factor(voice_db), room: roomShare(asked), music: factor(music_db) };
}
