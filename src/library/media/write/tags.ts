import { namedFor } from '../tag-names.ts';

/** Tags that describe their file, not the recording. */
const containerTags = new Set([
  'major_brand',
  'minor_version',
  'compatible_brands',
  'encoder',
  'encoded_by',
  'creation_time',
  'handler_name',
  'vendor_id',
  'duration',
  'metadata_block_picture',
  'wm/picture',
  'deviceconformancetemplate',
  'wmfsdkversion',
  'wmfsdkneeded',
  'isvbr',
]);

/** The tags to copy into another file, under their names there. */
export function portableTags(tags: Readonly<Record<string, string>>, muxer: string): Record<string, string> {
  const kept = Object.entries(tags).filter(
    ([key, value]) => !containerTags.has(key.toLowerCase()) && value.length < 65_536,
  );
  return namedFor(muxer, Object.fromEntries(kept));
}

/**
 * Gains that players apply: ReplayGain 2.0 (also as Winamp's and iTunes' fields), and RFC 7845's R128 gains of Opus.
 */
const playerGains = /^(?:replaygain_|r128_(?:track|album)_gain$|itunnorm$)/iu;

/** Tags without the gains that were measured on other sound: a player would apply them to the new level. */
export function withoutPlayerGains(tags: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(tags).filter(([key]) => !playerGains.test(key)));
}
