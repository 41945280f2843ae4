// Which tags travel into another file.
import type { TagEntry, Tags } from './model.ts';
import { namesOf, squashed } from './names.ts';

/** A language for a track's header (ISO 639-2); null when there is no such code. */
export const trackLanguage = (language: string | null | undefined): string | null =>
  language && /^[a-z]{3}$/u.test(language) && language !== 'und' ? language : null;

/** Tags that describe their file, not the recording. */
const ofTheFile = new Set(
  'majorbrand,minorversion,compatiblebrands,encoder,encodersettings,encodingtool,creationtime,handlername,vendorid,duration,metadatablockpicture,wm/picture,deviceconformancetemplate,wmfsdkversion,wmfsdkneeded,isvbr,software,length,tsse,tlen,tsiz,tft,tflt,aspi,mllt,seek,rbuf,poss,encr,grid,©too,©enc,©swr,earshotchapterroom'.split(
    ',',
  ),
);
/** How many samples the encoder added: of other sound than that of a new file. */
const ofTheEncoder = /^itunsmpb$/iu;

/**
 * Gains that players apply: ReplayGain 2.0 (also as frames of ID3, and Winamp's and iTunes' fields), and RFC 7845's
 * R128 gains of Opus.
 */
const playerGains = /^(?:replaygain_.*|r128_(?:track|album)_gain|itunnorm|rva2|rvad|rgad|xrva)$/iu;

/** Texts and marks with times in the sound. */
const timed = /^(?:SYLT|SYTC|ETCO)$/u;

export interface Journey {
  /** Is the sound as it was? Default false: it is encoded again. */
  readonly copied?: boolean;
  /** Did the level change? Then players must not apply gains that were measured before. Default false. */
  readonly processed?: boolean;
}

const isCalled = ({ name, description, native }: TagEntry, pattern: RegExp): boolean =>
  [name, description ?? '', native?.id ?? ''].some((one) => pattern.test(one));

/** The tags that go into the new file. */
export function travelling(tags: Tags, { copied = false, processed = false }: Journey): Tags {
  const entries = tags.entries.filter(
    (entry) =>
      !ofTheFile.has(squashed(entry.name)) &&
      !ofTheFile.has(squashed(entry.native?.id ?? '')) &&
      (copied || !isCalled(entry, ofTheEncoder)) &&
      !(processed && isCalled(entry, playerGains)),
  );
  return { ...tags, entries };
}

/** Tags without those that say times in the sound, for sound whose times change. */
export const withoutTimes = (tags: Tags): Tags => ({
  ...tags,
  entries: tags.entries.filter((entry) => !isCalled(entry, timed)),
});

/** Does a user mean this tag by this name? */
const isNamed = (entry: TagEntry, name: string): boolean =>
  squashed(namesOf(entry.name).vorbis) === squashed(namesOf(name).vorbis) ||
  squashed(entry.name) === squashed(name) ||
  (entry.description !== undefined && entry.description !== '' && squashed(entry.description) === squashed(name)) ||
  (entry.native?.id === 'PRIV' && name === `id3v2_priv.${entry.native.data.toString('latin1').split('\0')[0]}`);

/** Numbers whose totals FFmpeg shows with them. */
const totals: Readonly<Record<string, string>> = { TRACKNUMBER: 'TRACKTOTAL', DISCNUMBER: 'DISCTOTAL' };

/** Tags with some values changed; null removes one. */
export function changedTags(tags: Tags, changes: Readonly<Record<string, string | null>>): Tags {
  const names = Object.keys(changes).flatMap((name) => [name, totals[namesOf(name).vorbis] ?? name]);
  const kept = tags.entries.filter((entry) => !names.some((name) => isNamed(entry, name)));
  const given = Object.entries(changes).flatMap(([name, value]) => (value === null ? [] : [{ name, values: [value] }]));
  return { ...tags, entries: [...kept, ...given] };
}
