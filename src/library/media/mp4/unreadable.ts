// Why an MP4 or MOV file cannot be read: FFmpeg says "invalid data" of all of these.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { EarshotError } from '../../core/errors/errors.ts';
import { boxesIn, child, outerBoxes, readMoov } from './boxes.ts';

/** Names of boxes that such a file begins with. */
const firstBoxes = new Set(['ftyp', 'moov', 'mdat', 'wide', 'free', 'skip', 'styp', 'pnot', 'uuid']);
/** Sample entries of sound that is encrypted: Common Encryption, FairPlay, Audible. */
const encrypted = new Set(['enca', 'drms', 'aavd']);

interface Outline {
  readonly types: readonly string[];
  /** The box that goes on beyond the end of the file; null where none does. */
  readonly cutOff: string | null;
}

function outlineOf(path: string): Outline | null {
  const handle = openSync(path, 'r');
  try {
    const fileSize = fstatSync(handle).size;
    const header = Buffer.alloc(16);
    const types: string[] = [];
    for (let at = 0; at + 8 <= fileSize && types.length < 10_000;) {
      const got = readSync(handle, header, 0, 16, at);
      const type = header.toString('latin1', 4, 8);
      if (types.length === 0 && !firstBoxes.has(type)) return null;
      types.push(type);
      const stated = header.readUInt32BE(0);
      const size =
        stated === 1 && got === 16 ? Number(header.readBigUInt64BE(8)) : stated === 0 ? fileSize - at : stated;
      if (size < 8) break;
      if (at + size > fileSize) return { types, cutOff: type };
      at += size;
    }
    return types.length === 0 ? null : { types, cutOff: null };
  } finally {
    closeSync(handle);
  }
}

/** What is wrong with an MP4 or MOV file that could not be opened, or has no streams; null: nothing is seen. */
export function unreadableMp4(path: string): EarshotError | null {
  const outline = outlineOf(path);
  if (outline === null) return null;
  const { types, cutOff } = outline;
  if (types.includes('moov') && cutOff !== 'moov') return null;
  if (cutOff !== null)
    return new EarshotError(
      'file_invalid',
      `The file is cut off ${cutOff === 'moov' ? 'within' : 'before'} its index (the "moov" box): the rest of it is ` +
        'missing',
      { nextAction: 'Copy or upload the whole file again from where it came from.' },
    );
  return new EarshotError(
    'file_invalid',
    'The recording was never finished: its index (the "moov" box), which is written last, is missing',
    {
      nextAction:
        'Let the camera or recorder repair it, or rebuild the index with a program such as untrunc and a whole file ' +
        'of the same device.',
    },
  );
}

/** Is all sound of the file encrypted, by the names of its sample entries? */
function isEncrypted(path: string): boolean {
  const handle = openSync(path, 'r');
  try {
    const moov = readMoov(handle, outerBoxes(handle));
    if (moov === null) return false;
    const { data, root } = moov;
    const entries = [...boxesIn(data, root.body, root.end)]
      .filter(({ type }) => type === 'trak')
      .flatMap((track) => {
        const handler = child(data, track, 'mdia', 'hdlr');
        const table = child(data, track, 'mdia', 'minf', 'stbl', 'stsd');
        const isSound = handler !== null && data.toString('latin1', handler.body + 8, handler.body + 12) === 'soun';
        return isSound && table !== null ? [data.toString('latin1', table.body + 12, table.body + 16)] : [];
      });
    return entries.length > 0 && entries.every((entry) => encrypted.has(entry));
  } finally {
    closeSync(handle);
  }
}

/**
 * For sound that cannot be decoded.
 * @throws EarshotError unsupported_format where it is encrypted
 */
export function refuseEncrypted(path: string): void {
  if (!isEncrypted(path)) return;
  throw new EarshotError(
    'unsupported_format',
    'The sound of this file is encrypted: it is protected against copying, and can be read only with its key',
    { nextAction: 'Use a copy without protection, from the shop or the person it came from.' },
  );
}
