// Streams that a copy does not have.
import type { Warning } from '../../core/progress/progress.ts';
import type { MediaFacts, StreamFacts } from '../facts.ts';
import { keepsOtherSound } from '../ffmpeg/sound-choice.ts';

type Alike = (one: StreamFacts, other: StreamFacts) => boolean;
/** A data track of another kind is another one: timecodes are written anew. */
const sameType: Alike = (one, other) => one.type === other.type && (one.type !== 'data' || one.codec === other.codec);
const sameStream: Alike = (one, other) =>
  sameType(one, other) && one.codec === other.codec && one.language === other.language;

/** Covers are compared as pictures, with the tags; a timecode as the tag that says it; chapters as chapters. */
const isComparedElsewhere = ({ type, codec }: StreamFacts, { chapters }: MediaFacts): boolean =>
  type === 'cover' || codec === 'tmcd' || (type === 'data' && codec === 'text' && chapters.length > 0);

function missing(from: MediaFacts, { streams }: MediaFacts): StreamFacts[] {
  const found = [...streams];
  const without = (left: readonly StreamFacts[], alike: Alike): StreamFacts[] =>
    left.filter((stream) => {
      const at = found.findIndex((other) => alike(stream, other));
      if (at >= 0) found.splice(at, 1);
      return at < 0;
    });
  const compared = from.streams.filter((stream) => !isComparedElsewhere(stream, from));
  return without(without(compared, sameStream), sameType);
}

const typeNames: Readonly<Record<StreamFacts['type'], string>> = {
  audio: 'sound',
  video: 'picture',
  cover: 'cover',
  subtitle: 'subtitles',
  data: 'data track',
  attachment: 'attachment',
  unknown: 'unknown track',
};
const nameOf = ({ type, codec, language }: StreamFacts): string =>
  `${typeNames[type]} (${[language, codec].filter((word) => word !== null && word !== '').join(', ')})`;

function soundsLost(from: MediaFacts, lost: number): Warning {
  const all = from.streams.filter(({ type }) => type === 'audio').length;
  const left = all - lost;
  const kept = left === 1 ? 'only the one that was processed is' : `only ${left} are`;
  // A file whose others were wanted loses them where its time line changes.
  const why = keepsOtherSound(from.path) ? ': others are kept where nothing is cut' : '';
  return {
    code: 'other_sound_dropped',
    message: `The file has ${all} sound streams; ${kept} in the output${why}`,
  };
}

const mostNames = 10;

/** @param leavesPicture was sound asked for? Then moving pictures are not missed */
export function lostStreams(sources: readonly MediaFacts[], written: MediaFacts, leavesPicture: boolean): Warning[] {
  const lost = sources.map((from) => missing(from, written).filter(({ type }) => type !== 'video' || !leavesPicture));
  const sounds = sources.flatMap((from, at) => {
    const count = lost[at]?.filter(({ type }) => type === 'audio').length ?? 0;
    return count > 0 ? [soundsLost(from, count)] : [];
  });
  const names = [...new Set(lost.flat().flatMap((stream) => (stream.type === 'audio' ? [] : [nameOf(stream)])))];
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : '';
  const others: Warning = {
    code: 'streams_dropped',
    message: `Not in the output: ${names.slice(0, mostNames).join(', ')}${more}`,
  };
  return names.length > 0 ? [...sounds, others] : sounds;
}
