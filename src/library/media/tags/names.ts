// Names of tags: as Vorbis comments, ID3v2.4 and MP4 call them (as MusicBrainz Picard and Mp3tag do), and FFmpeg.

export interface TagName {
  /** Of the Vorbis comment; tags without a name of their own in a format go by this one. */
  readonly vorbis: string;
  /** Frame of ID3v2.4, or the description of its TXXX frame. */
  readonly id3: string;
  /** Four letters of the atom, or the name of its free-form one. */
  readonly mp4: string;
  readonly ffmpeg: string;
}

/** FFmpeg's name: default and '' are the Vorbis comment's. Others mean the same. */
type Row = readonly [vorbis: string, id3: string, mp4: string, ffmpeg?: string, ...others: string[]];

const rows: readonly Row[] = [
  ['TITLE', 'TIT2', '©nam', 'title'],
  ['ARTIST', 'TPE1', '©ART', 'artist'],
  ['ALBUM', 'TALB', '©alb', 'album'],
  ['ALBUMARTIST', 'TPE2', 'aART', 'album_artist'],
  ['COMPOSER', 'TCOM', '©wrt', 'composer', '©com'],
  ['LYRICIST', 'TEXT', 'LYRICIST'],
  ['CONDUCTOR', 'TPE3', 'CONDUCTOR'],
  ['REMIXER', 'TPE4', 'REMIXER'],
  ['GENRE', 'TCON', '©gen', 'genre', 'gnre'],
  ['DATE', 'TDRC', '©day', 'date', 'YEAR'],
  ['ORIGINALDATE', 'TDOR', 'ORIGINALDATE'],
  ['RELEASEDATE', 'TDRL', 'RELEASEDATE'],
  ['ENCODINGTIME', 'TDEN', 'ENCODINGTIME'],
  ['TAGGINGTIME', 'TDTG', 'TAGGINGTIME'],
  ['COPYRIGHT', 'TCOP', 'cprt', 'copyright', '©cpy'],
  ['PUBLISHER', 'TPUB', 'PUBLISHER', 'publisher', 'LABEL', 'ORGANIZATION'],
  ['ENCODEDBY', 'TENC', 'ENCODEDBY', 'encoded_by'],
  ['COMMENT', 'COMM', '©cmt', 'comment', '©inf'],
  ['LYRICS', 'USLT', '©lyr', 'lyrics', 'UNSYNCEDLYRICS'],
  ['DESCRIPTION', 'DESCRIPTION', 'desc', 'description'],
  ['GROUPING', 'TIT1', '©grp', 'grouping', 'CONTENTGROUP', 'GRP1'],
  ['SUBTITLE', 'TIT3', 'SUBTITLE'],
  ['DISCSUBTITLE', 'TSST', 'DISCSUBTITLE'],
  ['TRACKNUMBER', 'TRCK', 'trkn', 'track', '©trk', 'PART_NUMBER'],
  ['DISCNUMBER', 'TPOS', 'disk', 'disc'],
  ['TRACKTOTAL', 'TRACKTOTAL', 'TRACKTOTAL', '', 'TOTALTRACKS'],
  ['DISCTOTAL', 'DISCTOTAL', 'DISCTOTAL', '', 'TOTALDISCS'],
  ['BPM', 'TBPM', 'tmpo', 'tmpo', 'TEMPO'],
  ['ISRC', 'TSRC', 'ISRC'],
  ['INITIALKEY', 'TKEY', 'initialkey', '', 'KEY'],
  ['LANGUAGE', 'TLAN', 'LANGUAGE', 'language'],
  ['MOOD', 'TMOO', 'MOOD'],
  ['MEDIA', 'TMED', 'MEDIA'],
  ['COMPILATION', 'TCMP', 'cpil', 'compilation'],
  ['ALBUMSORT', 'TSOA', 'soal', 'sort_album', 'album-sort'],
  ['ARTISTSORT', 'TSOP', 'soar', 'sort_artist', 'artist-sort'],
  ['ALBUMARTISTSORT', 'TSO2', 'soaa', 'sort_album_artist'],
  ['COMPOSERSORT', 'TSOC', 'soco', 'sort_composer'],
  ['TITLESORT', 'TSOT', 'sonm', 'sort_name', 'title-sort'],
  ['TVSHOWSORT', 'TVSHOWSORT', 'sosn', 'sort_show'],
  ['WORK', 'WORK', '©wrk'],
  ['MOVEMENTNAME', 'MVNM', '©mvn'],
  ['MOVEMENT', 'MVIN', '©mvi'],
  ['MOVEMENTTOTAL', 'MOVEMENTTOTAL', '©mvc'],
  ['SHOWMOVEMENT', 'SHOWMOVEMENT', 'shwm'],
  ['PODCAST', 'PCST', 'pcst', 'podcast'],
  ['PODCASTCATEGORY', 'TCAT', 'catg', 'category'],
  ['PODCASTDESC', 'TDES', 'ldes', 'synopsis'],
  ['PODCASTID', 'TGID', 'egid', 'episode_uid'],
  ['PODCASTKEYWORDS', 'TKWD', 'keyw', 'keywords'],
  ['PODCASTURL', 'WFED', 'purl'],
  ['TVSHOW', 'TVSHOW', 'tvsh', 'show'],
  ['TVEPISODEID', 'TVEPISODEID', 'tven', 'episode_id'],
  ['TVEPISODE', 'TVEPISODE', 'tves', 'episode_sort'],
  ['TVSEASON', 'TVSEASON', 'tvsn', 'season_number'],
  ['TVNETWORK', 'TVNETWORK', 'tvnn', 'network'],
  ['ITUNESADVISORY', 'ITUNESADVISORY', 'rtng'],
  ['ITUNESMEDIATYPE', 'ITUNESMEDIATYPE', 'stik', 'media_type'],
  ['ITUNESGAPLESS', 'ITUNESGAPLESS', 'pgap', 'gapless_playback'],
  ['ITUNESHDVIDEO', 'ITUNESHDVIDEO', 'hdvd', 'hd_video'],
  ['WEBSITE', 'WOAR', 'WEBSITE', '', 'WWWARTIST'],
  ['LICENSE', 'WCOP', 'LICENSE', '', 'WWWCOPYRIGHT'],
  ['WWWAUDIOFILE', 'WOAF', 'WWWAUDIOFILE'],
  ['WWWAUDIOSOURCE', 'WOAS', 'WWWAUDIOSOURCE'],
  ['WWWCOMMERCIALINFO', 'WCOM', 'WWWCOMMERCIALINFO'],
  ['WWWPAYMENT', 'WPAY', 'WWWPAYMENT'],
  ['WWWPUBLISHER', 'WPUB', 'WWWPUBLISHER'],
  ['WWWRADIOPAGE', 'WORS', 'WWWRADIOPAGE'],
  ['WWW', 'WXXX', 'WWW'],
  ['ORIGINALALBUM', 'TOAL', 'ORIGINALALBUM'],
  ['ORIGINALARTIST', 'TOPE', 'ORIGINALARTIST', 'original_artist'],
  ['ORIGINALLYRICIST', 'TOLY', 'ORIGINALLYRICIST'],
  ['ORIGINALFILENAME', 'TOFN', 'ORIGINALFILENAME'],
  ['FILEOWNER', 'TOWN', 'FILEOWNER'],
  ['PRODUCEDNOTICE', 'TPRO', 'PRODUCEDNOTICE'],
  ['RADIOSTATION', 'TRSN', 'RADIOSTATION'],
  ['RADIOOWNER', 'TRSO', 'RADIOOWNER'],
  ['PLAYLISTDELAY', 'TDLY', 'PLAYLISTDELAY'],
  ['MUSICBRAINZ_TRACKID', 'MUSICBRAINZ_TRACKID', 'MusicBrainz Track Id'],
  ['MUSICBRAINZ_RELEASETRACKID', 'MusicBrainz Release Track Id', 'MusicBrainz Release Track Id'],
  ['MUSICBRAINZ_ALBUMID', 'MusicBrainz Album Id', 'MusicBrainz Album Id'],
  ['MUSICBRAINZ_ARTISTID', 'MusicBrainz Artist Id', 'MusicBrainz Artist Id'],
  ['MUSICBRAINZ_ALBUMARTISTID', 'MusicBrainz Album Artist Id', 'MusicBrainz Album Artist Id'],
  ['MUSICBRAINZ_RELEASEGROUPID', 'MusicBrainz Release Group Id', 'MusicBrainz Release Group Id'],
  ['MUSICBRAINZ_WORKID', 'MusicBrainz Work Id', 'MusicBrainz Work Id'],
  ['MUSICBRAINZ_DISCID', 'MusicBrainz Disc Id', 'MusicBrainz Disc Id'],
  ['RELEASETYPE', 'MusicBrainz Album Type', 'MusicBrainz Album Type'],
  ['RELEASESTATUS', 'MusicBrainz Album Status', 'MusicBrainz Album Status'],
  ['RELEASECOUNTRY', 'MusicBrainz Album Release Country', 'MusicBrainz Album Release Country'],
  ['ACOUSTID_ID', 'Acoustid Id', 'Acoustid Id'],
  ['ACOUSTID_FINGERPRINT', 'Acoustid Fingerprint', 'Acoustid Fingerprint'],
];

/** "album_artist", "ALBUMARTIST" and "Album Artist" are one name. */
export const squashed = (name: string): string => name.toLowerCase().replaceAll(/[ _-]/gu, '');

const byName = new Map<string, TagName>();
for (const [vorbis, id3, mp4, ffmpeg, ...others] of rows) {
  const names = { vorbis, id3, mp4, ffmpeg: ffmpeg || vorbis };
  for (const name of [vorbis, id3, mp4, names.ffmpeg, ...others]) byName.set(squashed(name), names);
}

/** A name that only differs from FFmpeg's in its case is written in FFmpeg's, which its readers show unchanged. */
export const asShown = (name: string, { ffmpeg }: TagName): string =>
  ffmpeg.toLowerCase() === name.toLowerCase() ? ffmpeg : name;

/** FFmpeg adds the language of lyrics and of titles in several languages: "lyrics-eng". */
const withLanguage = /^(.+)-[a-z]{3}$/u;

/** A tag's names in all formats, from any of them. */
export function namesOf(name: string): TagName {
  const known = byName.get(squashed(name)) ?? byName.get(squashed(withLanguage.exec(name)?.[1] ?? ''));
  return known ?? { vorbis: name, id3: name, mp4: name, ffmpeg: name };
}

const frames = new Set(rows.map(([, id3]) => id3).filter((id) => /^[A-Z0-9]{4}$/u.test(id) && id !== 'WORK'));
const atoms = new Set(rows.map(([, , mp4]) => mp4).filter((id) => id.length === 4 && !/^[A-Z]+$/u.test(id)));

/** Is a tag's name in ID3 that of a frame? Else it is the description of a TXXX frame. */
export const isFrame = (id3: string): boolean => frames.has(id3);

/** Is a tag's name in MP4 that of an atom? Else it is that of a free-form one. */
export const isAtom = (mp4: string): boolean => atoms.has(mp4);
