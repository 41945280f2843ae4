// Tags: which go into another file, under which names there (as MusicBrainz Picard maps them), and those that FFmpeg
// cannot write itself.
import { closeSync, openSync, readSync, writeSync } from 'node:fs';

/** Names in Vorbis comments and Matroska; those in MP4 and ID3. */
const pairs: readonly (readonly [vorbis: string, mp4: string])[] = [
  ['MUSICBRAINZ_TRACKID', 'MusicBrainz Track Id'],
  ['MUSICBRAINZ_RELEASETRACKID', 'MusicBrainz Release Track Id'],
  ['MUSICBRAINZ_ALBUMID', 'MusicBrainz Album Id'],
  ['MUSICBRAINZ_ARTISTID', 'MusicBrainz Artist Id'],
  ['MUSICBRAINZ_ALBUMARTISTID', 'MusicBrainz Album Artist Id'],
  ['MUSICBRAINZ_RELEASEGROUPID', 'MusicBrainz Release Group Id'],
  ['MUSICBRAINZ_WORKID', 'MusicBrainz Work Id'],
  ['MUSICBRAINZ_DISCID', 'MusicBrainz Disc Id'],
  ['RELEASETYPE', 'MusicBrainz Album Type'],
  ['RELEASESTATUS', 'MusicBrainz Album Status'],
  ['RELEASECOUNTRY', 'MusicBrainz Album Release Country'],
  ['ACOUSTID_ID', 'Acoustid Id'],
];
const toVorbis = new Map(pairs.map(([vorbis, mp4]) => [mp4.toLowerCase(), vorbis]));
const toMp4 = new Map(pairs.map(([vorbis, mp4]) => [vorbis.toLowerCase(), mp4]));

const vorbisMuxers: readonly string[] = ['ogg', 'opus', 'flac'];
const mp4Muxers: readonly string[] = ['ipod', 'mp4'];

/**
 * A placeholder as long as "COMMENT", renamed in the finished file: FFmpeg would write a comment as DESCRIPTION, which
 * the description uses.
 */
const commentInWaiting = 'ECMMENT';

/** The tags under their names in a muxer's container. */
function namedFor(muxer: string, tags: Readonly<Record<string, string>>): Record<string, string> {
  const names = vorbisMuxers.includes(muxer) || muxer === 'matroska' ? toVorbis : toMp4;
  const named = Object.fromEntries(
    Object.entries(tags).map(([key, value]) => [names.get(key.toLowerCase()) ?? key, value]),
  );
  const find = (wanted: string): string | undefined => Object.keys(named).find((key) => key.toLowerCase() === wanted);
  const [comment, description] = [find('comment'), find('description')];
  if (!vorbisMuxers.includes(muxer) || comment === undefined || description === undefined) return named;
  const { [comment]: value = '', ...rest } = named;
  return { ...rest, [commentInWaiting]: value };
}

/** What FFmpeg writes into MP4's list by itself. */
const ownOfMp4 = new Set(
  (
    'title artist album_artist composer album date encoder comment genre copyright grouping lyrics description synopsis ' +
    'show episode_id network keywords episode_sort season_number media_type hd_video gapless_playback compilation track ' +
    'disc tmpo'
  ).split(' '),
);

/** Tags for MP4's free-form entries, by name. */
export const freeFormTags = (muxer: string, tags: Readonly<Record<string, string>>): [name: string, value: string][] =>
  mp4Muxers.includes(muxer)
    ? Object.entries(namedFor(muxer, tags)).filter(([key]) => !ownOfMp4.has(key.toLowerCase()))
    : [];

/** A language for a track's header (ISO 639-2); null when there is no such code. */
export const trackLanguage = (language: string | null | undefined): string | null =>
  language && /^[a-z]{3}$/u.test(language) && language !== 'und' ? language : null;

/** Polynomial of the checksum of Ogg's pages (RFC 3533, 6). */
const polynomial = 0x04c1_1db7;

function oggChecksum(page: Buffer): number {
  let sum = 0;
  for (const byte of page) {
    sum ^= byte << 24;
    for (let bit = 0; bit < 8; bit += 1) sum = sum < 0 ? (sum << 1) ^ polynomial : sum << 1;
  }
  return sum >>> 0;
}

const largestPage = 27 + 255 + 255 * 255;

/** Renames the comment's placeholder in a finished FLAC or Ogg file: in its first pages or blocks. */
export function nameComment(path: string, tags: Readonly<Record<string, string>>): void {
  if (tags[commentInWaiting] === undefined) return;
  const handle = openSync(path, 'r+');
  try {
    const head = Buffer.alloc(4 * largestPage);
    const data = head.subarray(0, readSync(handle, head, 0, head.length, 0));
    const at = data.indexOf(`${commentInWaiting}=`, 0, 'latin1');
    if (at < 0) return;
    data.write('COMMENT', at, 'latin1');
    if (data.toString('latin1', 0, 4) !== 'OggS') {
      writeSync(handle, data, at, 7, at);
      return;
    }
    for (let page = 0; page + 27 <= data.length;) {
      const lacing = data.subarray(page + 27, page + 27 + (data[page + 26] as number));
      const end = page + 27 + lacing.length + lacing.reduce((sum, part) => sum + part, 0);
      if (at < end && at + 7 > page) {
        data.writeUInt32LE(0, page + 22);
        data.writeUInt32LE(oggChecksum(data.subarray(page, end)), page + 22);
        writeSync(handle, data, page, end - page, page);
      }
      page = end;
    }
  } finally {
    closeSync(handle);
  }
}

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

/** Key of the placeholder tag that reserves space for the chapters at a file's start. */
export const roomTag = 'EARSHOT_CHAPTER_ROOM';
