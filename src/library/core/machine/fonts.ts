// Are there fonts that libass can draw with?
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { EarshotError } from '../errors/errors.ts';
import { homeFolder } from '../files/home-folder.ts';

const folders = (): readonly string[] => [
  '/usr/share/fonts',
  '/usr/local/share/fonts',
  join(homeFolder(), '.fonts'),
  join(homeFolder(), '.local/share/fonts'),
];

/** What to do without: advice for errors. */
export const fontAdvice = 'Install a font (Debian: apt-get install fonts-dejavu-core).';
export const noFont = 'Captions cannot be drawn: this machine has no font';

function holdsFont(folder: string): boolean {
  try {
    return readdirSync(folder, { withFileTypes: true }).some((entry) =>
      entry.isDirectory() ? holdsFont(join(folder, entry.name)) : /\.(?:tt[cf]|ot[cf]|pf[ab])$/i.test(entry.name),
    );
  } catch {
    // It is not there, or closed to this process.
    return false;
  }
}

/**
 * Outside of Linux the system has fonts. Where fontconfig has a configuration of its own, fonts may be anywhere.
 * @param among folders that are searched; default: those of the system and the user
 */
export const hasFonts = (among = folders()): boolean =>
  process.platform !== 'linux' || among.some(holdsFont) || existsSync('/etc/fonts/fonts.conf');

/** @throws EarshotError tool_unavailable */
export function requireFonts(): void {
  if (!hasFonts()) throw new EarshotError('tool_unavailable', noFont, { nextAction: fontAdvice });
}
