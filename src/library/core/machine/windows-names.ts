// File names that Windows does not keep as written, though the calls succeed: "a:b" is a stream of the file "a",
// "con.wav" the console, and a dot at the end is dropped.
// https://learn.microsoft.com/windows/win32/fileio/naming-a-file
import { EarshotError } from '../errors/errors.ts';

// oxlint-disable-next-line no-control-regex -- they are what is searched for
const forbidden = /[<>:"|?*\\/\u0000-\u001f]/;
const ends = /(?<![. ])[. ]+$/;
/** Also with any extension, and with spaces before it. */
const device = /^(con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?= *(?:\.|$))/i;

/** The closest name that Windows keeps; may be empty. */
export function keptByWindows(name: string): string {
  return name.replaceAll(new RegExp(forbidden, 'g'), '_').replace(ends, '').replace(device, '$1_');
}

/** Why Windows does not keep a file name; null: it does. */
function whyNotKept(name: string): string | null {
  const character = forbidden.exec(name)?.[0];
  if (character !== undefined) return `Windows does not allow ${JSON.stringify(character)} in names`;
  if (ends.test(name)) return 'Windows drops dots and spaces at the end of a name';
  const reserved = device.exec(name)?.[1];
  return reserved === undefined ? null : `${reserved.toUpperCase()} is a device on Windows, with any extension`;
}

/**
 * Refuses a name for a new file that this system would not keep.
 * @param name without folders
 * @param field the option with the path
 * @throws EarshotError bad_request, on Windows only
 */
export function refuseUnkeptName(name: string, field: string, system: NodeJS.Platform = process.platform): void {
  const why = system === 'win32' ? whyNotKept(name) : null;
  if (why === null) return;
  throw new EarshotError('bad_request', `A file cannot be named ${name}: ${why}`, {
    nextAction: 'Choose another name.',
    details: { field, expected: 'a name that Windows keeps', received: name },
  });
}
