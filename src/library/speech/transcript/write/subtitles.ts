// SubRip and WebVTT.
import type { Transcript } from '../../../contract/transcript.ts';
import type { Caption, CaptionWord } from './caption.ts';
import type { CaptionsByHand } from './by-hand.ts';
import { captionsOf } from './captions.ts';
import { hasSeveralSpeakers } from './several-speakers.ts';
import type { CaptionProfile } from './limits.ts';

/** How a transcript is shown. */
export interface CaptionOptions {
  /** Default standard. */
  readonly profile?: CaptionProfile;
  /** Names by number of the speaker. Default: "Speaker 1". */
  readonly names?: Readonly<Record<number, string>>;
  /** The time of each word within its caption, where the format has a place for it. Default false. */
  readonly karaoke?: boolean;
  /** Name of the recording, for RTTM. Default recording. */
  readonly recording?: string;
  /** What people set of captions, in a transcript whose words have numbers. Default nothing. */
  readonly byHand?: CaptionsByHand;
}

export const speakerName = (speaker: number, { names = {} }: CaptionOptions = {}): string =>
  names[speaker] ?? `Speaker ${speaker}`;

/** "00:00:01,000" */
export function stamp(seconds: number, point: ',' | '.'): string {
  const ms = Math.round(seconds * 1000);
  const pad = (value: number, digits: number): string => String(Math.floor(value)).padStart(digits, '0');
  return `${pad(ms / 3_600_000, 2)}:${pad((ms / 60_000) % 60, 2)}:${pad((ms / 1000) % 60, 2)}${point}${pad(ms % 1000, 3)}`;
}

/** A caption with its speaker, where a name is shown. */
export interface NamedCaption extends Pick<Caption, 'startSeconds' | 'endSeconds' | 'lines' | 'words'> {
  readonly voice?: string | null;
}

/**
 * SubRip, UTF-8, LF. Names are left out: they are part of the lines where needed.
 * @param first number of the first caption
 */
export const srtOf = (captions: readonly NamedCaption[], first = 1): string =>
  captions
    .map(
      ({ startSeconds, endSeconds, lines }, index) =>
        `${index + first}\n${stamp(startSeconds, ',')} --> ${stamp(endSeconds, ',')}\n${lines.join('\n')}\n`,
    )
    .join('\n');

/**
 * WebVTT (W3C): names as voice spans, `<v Anna>`.
 * @param karaoke with a timestamp before each word: `One <00:00:01.200>two`
 */
export function vttOf(captions: readonly NamedCaption[], karaoke = false): string {
  const cues = captions.map(({ startSeconds, endSeconds, lines, words, voice = null }) => {
    const span = voice === null ? '' : `<v ${escaped(voice)}>`;
    const text = karaoke && words ? timedText(words, startSeconds, endSeconds) : lines.map(escaped).join('\n');
    return `${stamp(startSeconds, '.')} --> ${stamp(endSeconds, '.')}\n${span}${text}\n`;
  });
  return ['WEBVTT\n', ...cues].join('\n');
}

/**
 * SubRip: UTF-8, LF. With several speakers, a caption that starts a turn names the speaker: "Speaker 2: Yes." Captions
 * as in `captionsOf`.
 */
export const toSrt = (transcript: Transcript, options: CaptionOptions = {}): string =>
  srtOf(captionsOf(transcript, prefixOf(transcript, options), options.profile, options.byHand));

/** With several speakers, or where one has a name, a caption that starts a turn names the speaker. */
export function prefixOf(transcript: Transcript, options: CaptionOptions): (speaker: number) => string {
  const several = hasSeveralSpeakers(transcript);
  return (speaker) => (several || options.names?.[speaker] !== undefined ? `${speakerName(speaker, options)}: ` : '');
}

/** WebVTT (W3C): speakers as voice spans, `<v Speaker 1>`. */
export const toVtt = (transcript: Transcript, options: CaptionOptions = {}): string =>
  vttOf(
    captionsOf(transcript, undefined, options.profile, options.byHand).map((caption) => ({
      ...caption,
      voice: caption.speaker === null ? null : speakerName(caption.speaker, options),
    })),
    options.karaoke,
  );

/** Timestamps rise within their cue, as the standard asks; a word that would break this has none. */
function timedText(words: readonly CaptionWord[], startSeconds: number, endSeconds: number): string {
  let last = startSeconds;
  return words
    .map(({ text, startSeconds: at, line, spaced }, index) => {
      const begins = index > 0 && line !== words[index - 1]?.line ? '\n' : spaced ? ' ' : '';
      const isTimed = at > last + 0.0005 && at < endSeconds - 0.0005;
      if (isTimed) last = at;
      return `${begins}${isTimed ? `<${stamp(at, '.')}>` : ''}${escaped(text)}`;
    })
    .join('');
}

/** Text within WebVTT, where signs of markup are read as such. */
export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
