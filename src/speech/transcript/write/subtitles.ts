// SubRip and WebVTT.
import type { Transcript } from '../../../contract/transcript.ts';
import { captionsOf } from './captions.ts';

const speakerName = (speaker: number): string => `Speaker ${speaker}`;

/** "00:00:01,000" */
function stamp(seconds: number, point: ',' | '.'): string {
  const ms = Math.round(seconds * 1000);
  const pad = (value: number, digits: number): string => String(Math.floor(value)).padStart(digits, '0');
  return `${pad(ms / 3_600_000, 2)}:${pad((ms / 60_000) % 60, 2)}:${pad((ms / 1000) % 60, 2)}${point}${pad(ms % 1000, 3)}`;
}

/**
 * SubRip: UTF-8, LF. Where several people speak, a caption that begins a turn says who: "Speaker 2: Yes." Captions as
 * in `captionsOf`.
 */
export function toSrt(transcript: Transcript): string {
  const named = (transcript.speakerCount ?? 0) > 1;
  return captionsOf(transcript, (speaker) => (named ? `${speakerName(speaker)}: ` : ''))
    .map(
      ({ startSeconds, endSeconds, lines }, index) =>
        `${index + 1}\n${stamp(startSeconds, ',')} --> ${stamp(endSeconds, ',')}\n${lines.join('\n')}\n`,
    )
    .join('\n');
}

/** WebVTT (W3C): speakers as voice spans, `<v Speaker 1>`. */
export function toVtt(transcript: Transcript): string {
  const cues = captionsOf(transcript).map(({ startSeconds, endSeconds, lines, speaker }) => {
    const voice = speaker === null ? '' : `<v ${speakerName(speaker)}>`;
    return `${stamp(startSeconds, '.')} --> ${stamp(endSeconds, '.')}\n${voice}${lines.map(escaped).join('\n')}\n`;
  });
  return ['WEBVTT\n', ...cues].join('\n');
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
