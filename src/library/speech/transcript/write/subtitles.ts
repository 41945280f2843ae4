// SubRip and WebVTT.
import type { Transcript } from '../../../contract/transcript.ts';
import type { Caption } from './caption.ts';
import { captionsOf } from './captions.ts';
import { hasSeveralSpeakers } from './several-speakers.ts';

const speakerName = (speaker: number): string => `Speaker ${speaker}`;

/** "00:00:01,000" */
function stamp(seconds: number, point: ',' | '.'): string {
  const ms = Math.round(seconds * 1000);
  const pad = (value: number, digits: number): string => String(Math.floor(value)).padStart(digits, '0');
  return `${pad(ms / 3_600_000, 2)}:${pad((ms / 60_000) % 60, 2)}:${pad((ms / 1000) % 60, 2)}${point}${pad(ms % 1000, 3)}`;
}

/** A caption with its speaker, where a name is shown. */
export interface NamedCaption extends Pick<Caption, 'startSeconds' | 'endSeconds' | 'lines'> {
  readonly voice?: string | null;
}

/** SubRip, UTF-8, LF. Names are left out: they are part of the lines where needed. */
export const srtOf = (captions: readonly NamedCaption[]): string =>
  captions
    .map(
      ({ startSeconds, endSeconds, lines }, index) =>
        `${index + 1}\n${stamp(startSeconds, ',')} --> ${stamp(endSeconds, ',')}\n${lines.join('\n')}\n`,
    )
    .join('\n');

/** WebVTT (W3C): names as voice spans, `<v Anna>`. */
export function vttOf(captions: readonly NamedCaption[]): string {
  const cues = captions.map(({ startSeconds, endSeconds, lines, voice = null }) => {
    const span = voice === null ? '' : `<v ${escaped(voice)}>`;
    return `${stamp(startSeconds, '.')} --> ${stamp(endSeconds, '.')}\n${span}${lines.map(escaped).join('\n')}\n`;
  });
  return ['WEBVTT\n', ...cues].join('\n');
}

/**
 * SubRip: UTF-8, LF. With several speakers, a caption that starts a turn names the speaker: "Speaker 2: Yes." Captions
 * as in `captionsOf`.
 */
export function toSrt(transcript: Transcript): string {
  const named = hasSeveralSpeakers(transcript);
  return srtOf(captionsOf(transcript, (speaker) => (named ? `${speakerName(speaker)}: ` : '')));
}

/** WebVTT (W3C): speakers as voice spans, `<v Speaker 1>`. */
export const toVtt = (transcript: Transcript): string =>
  vttOf(
    captionsOf(transcript).map((caption) => ({
      ...caption,
      voice: caption.speaker === null ? null : speakerName(caption.speaker),
    })),
  );

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
