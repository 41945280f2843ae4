// What a visitor has chosen, for after the sign-in; the files themselves are handed over.
import type { Settings } from './presets.ts';
import type { Role } from './roles.ts';

interface Chosen {
  readonly roles: readonly Role[];
  readonly settings: Settings;
}

const key = 'earshot-recipe';

export function keepForSignIn(chosen: Chosen): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(chosen));
  } catch {
    // The roles are guessed again.
  }
}

/** Takes it out; null: there is none. */
export function takeFromSignIn(): Chosen | null {
  try {
    const found = sessionStorage.getItem(key);
    sessionStorage.removeItem(key);
    return found === null ? null : (JSON.parse(found) as Chosen);
  } catch {
    return null;
  }
}
