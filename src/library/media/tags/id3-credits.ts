// Who did what: lists of pairs in ID3, tags of their own elsewhere.
import { encodedTexts, type Id3Frame, id3Frame, textsIn } from './id3-frames.ts';
import type { TagEntry } from './model.ts';
import { squashed } from './names.ts';

/** Roles in ID3 that have a tag of their own. */
const tagOfRole: Readonly<Record<string, string>> = {
  arranger: 'ARRANGER',
  engineer: 'ENGINEER',
  producer: 'PRODUCER',
  'DJ-mix': 'DJMIXER',
  mix: 'MIXER',
};
const roleOfTag = new Map(Object.entries(tagOfRole).map(([role, tag]) => [squashed(tag), role]));
/** For other roles: "role: name". */
const others = 'INVOLVEDPEOPLE';

/** TMCL lists instruments and their players, TIPL (IPLS in 2.3) other people. */
export function creditsOf({ id, data }: Id3Frame): TagEntry[] {
  const texts = textsIn(data, 1, data[0] ?? 0);
  const found: TagEntry[] = [];
  for (let at = 0; at + 1 < texts.length; at += 2) {
    const [role, person] = [texts[at] as string, texts[at + 1] as string];
    const tag = tagOfRole[role];
    if (id === 'TMCL') found.push({ name: 'PERFORMER', values: [role === '' ? person : `${person} (${role})`] });
    else if (tag !== undefined) found.push({ name: tag, values: [person] });
    else found.push({ name: others, values: [`${role}: ${person}`] });
  }
  return found;
}

const playerPattern = /^(.*\S) \(([^()]*)\)$/su;
const personPattern = /^([^:]*): (.*)$/su;

/** The frames of credits, and the entries that are none. */
export function creditFrames(entries: readonly TagEntry[]): { credits: Buffer[]; others: TagEntry[] } {
  const [players, people, rest]: [string[], string[], TagEntry[]] = [[], [], []];
  for (const entry of entries) {
    const name = squashed(entry.name);
    const role = roleOfTag.get(name);
    if (name === 'performer')
      for (const value of entry.values) {
        const [, person = value, instrument = ''] = playerPattern.exec(value) ?? [];
        players.push(instrument, person);
      }
    else if (role !== undefined) for (const value of entry.values) people.push(role, value);
    else if (name === squashed(others))
      for (const value of entry.values) {
        const [, kind = '', person = value] = personPattern.exec(value) ?? [];
        people.push(kind, person);
      }
    else rest.push(entry);
  }
  const listed = (id: string, texts: readonly string[]): Buffer[] =>
    texts.length === 0 ? [] : [id3Frame(id, encodedTexts(texts))];
  return { credits: [...listed('TMCL', players), ...listed('TIPL', people)], others: rest };
}
