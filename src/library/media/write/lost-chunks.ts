// Parts of a file beside its sound and its tags that a copy does not have.
import { partsBeside } from '../chapters/parts.ts';
import { isBext } from '../wave/bext.ts';
import { nameOf, readMarks } from '../wave/markers.ts';
import { readWave, type WaveContents } from '../wave/read-chunks.ts';

/** What programs make anew from the sound, or leave behind for themselves; and marks, which are compared as such. */
const silent: readonly string[] = ['levl', 'minf', 'elm1', 'elmo', 'regn', 'cue', 'adtl'];
const loopsAt = 28;

/** How often each named part is there. */
function partsOf({ chunks, tooLarge }: WaveContents): Map<string, number> {
  const parts = new Map<string, number>();
  const add = (name: string, count = 1): unknown => parts.set(name, (parts.get(name) ?? 0) + count);
  for (const name of tooLarge) add(name.trim());
  for (const { id, body } of chunks) {
    const name = id.trim();
    if (silent.includes(name)) continue;
    add(name);
    if (name === 'iXML' && body.includes('<TRACK_LIST>')) add('the track list of iXML');
    if (name === 'smpl' && body.length >= loopsAt + 4) add('loops', body.readUInt32LE(loopsAt));
  }
  return parts;
}

/** What other formats hold as something else: the extension's fields are tags, marks with names are chapters. */
function elsewhere({ chunks }: WaveContents): { readonly held: readonly string[]; readonly lost: readonly string[] } {
  const marks = readMarks(chunks);
  const nameless = marks.filter((mark) => nameOf(mark) === '').length;
  return {
    held: chunks.some(({ id, body }) => id === 'bext' && isBext(body)) ? ['bext'] : [],
    lost: [
      ...(nameless > 0 ? [`${nameless} cue points without a name`] : []),
      ...(marks.some(({ texts }) => texts.some(({ id }) => id === 'note')) ? ['notes of cue points'] : []),
    ],
  };
}

export interface LostChunks {
  /** Of the source. */
  readonly kind: string;
  readonly names: readonly string[];
  /** Is the copy a file for such parts? */
  readonly hasPlace: boolean;
}

/** Of files that are no WAV. */
function lostParts(source: string, copy: string): LostChunks | null {
  const before = partsBeside(source);
  if (before === null) return null;
  const after = partsBeside(copy);
  const found = [...(after?.names ?? [])];
  const names = before.names.filter((name) => {
    const at = found.indexOf(name);
    if (at >= 0) found.splice(at, 1);
    return at < 0;
  });
  return { kind: before.kind, names, hasPlace: after?.kind === before.kind };
}

/** What is not in the copy; null: the source is of a kind without such parts. */
export function lostChunks(source: string, copy: string): LostChunks | null {
  const before = readWave(source);
  if (before === null) return lostParts(source, copy);
  const after = readWave(copy);
  const found = after === null ? new Map<string, number>() : partsOf(after);
  const { held, lost } = after === null ? elsewhere(before) : { held: [], lost: [] };
  const missing = [...partsOf(before)].flatMap(([name, count]) => {
    const gone = count - (found.get(name) ?? 0);
    if (gone <= 0 || held.includes(name)) return [];
    if (name !== 'loops') return [name];
    return found.has('smpl') ? [`${gone} loops`] : [];
  });
  // What is gone as a whole has no parts.
  const names = missing.filter((name) => name !== 'the track list of iXML' || found.has('iXML'));
  return { kind: 'WAV', names: [...names, ...lost], hasPlace: after !== null };
}
