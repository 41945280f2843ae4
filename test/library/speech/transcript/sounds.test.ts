// What is heard beside speech, in each form in which a transcript is written.
import { expect, it } from 'vitest';
import { parseTranscript } from '../../../../src/library/contract/parse-transcript.ts';
import { soundKinds } from '../../../../src/library/contract/sound-kinds.ts';
import type { Transcript, TranscriptEvent } from '../../../../src/library/contract/transcript.ts';
import { arrangedTranscript } from '../../../../src/library/speech/text-edit/arrange.ts';
import { splitSentences } from '../../../../src/library/speech/transcript/sentences/split.ts';
import { captionsOf } from '../../../../src/library/speech/transcript/write/captions.ts';
import { transcriptFormats, writeTranscript } from '../../../../src/library/speech/transcript/write/formats.ts';
import { toTranscriptJson } from '../../../../src/library/speech/transcript/write/json.ts';
import { paragraphsOf, toPlainText } from '../../../../src/library/speech/transcript/write/plain-text.ts';
import { soundLabel } from '../../../../src/library/speech/transcript/write/sound-labels.ts';
import { toSrt, toVtt } from '../../../../src/library/speech/transcript/write/subtitles.ts';
import { spoken } from './spoken.ts';

const event = (sound: string, startSeconds: number, endSeconds: number): TranscriptEvent => ({
  sound,
  startSeconds,
  endSeconds,
  score: 0.8,
});
// Words from 0 to 1.15 s, and from 7.1 s on.
const words = spoken('[1] One two three four. (6) [2] Five six seven eight.');
const talk = (...events: TranscriptEvent[]): Transcript => ({
  format: 'earshot-transcript',
  version: 1,
  language: 'en',
  durationSeconds: 12,
  speakerCount: 2,
  sentences: splitSentences(words, 'en'),
  events,
});

it('a sound in a pause is a caption of its own, at its time', () => {
  const captions = captionsOf(talk(event('applause', 2, 6)));
  expect(captions.map(({ lines }) => lines.join(' '))).toEqual([
    'One two three four.',
    '[applause]',
    'Five six seven eight.',
  ]);
  expect(captions[1]).toMatchObject({ startSeconds: 2, speaker: null });
  expect(captions[1]?.endSeconds).toBeGreaterThan(4.4);
  expect(captions[1]?.endSeconds).toBeLessThan(6);
  expect(captions[0]?.endSeconds).toBeLessThanOrEqual(2);
});

it('a sound under the talk is shown beside its captions', () => {
  const captions = captionsOf(talk(event('dog', 0.5, 1.5)));
  expect(captions[0]?.lines).toEqual(['One two three four.']);
  expect(captions[1]?.lines).toEqual(['[dog barking]']);
  expect(captions[1]?.startSeconds).toBe(0.5);
});

it('a sound that comes again soon is shown once, and one after a while again', () => {
  const shown = (...events: TranscriptEvent[]): number => toSrt(talk(...events)).match(/\[ringing\]/g)?.length ?? 0;
  expect(shown(event('ringing', 2, 3), event('ringing', 4, 5))).toBe(1);
  expect(shown(event('ringing', 2, 3), event('ringing', 20, 21))).toBe(2);
});

it('a long name breaks between its words, also in short captions', () => {
  const spanish = { ...talk(event('livestock', 2, 6)), language: 'es' };
  const lines = captionsOf(spanish, undefined, 'shorts').flatMap((caption) => caption.lines);
  expect(lines.slice(2, -2).join(' ')).toBe('[animales de granja]');
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(18);
});

it('names of speakers and their voices are as without sounds', () => {
  const [plain, heard] = [talk(), talk(event('music', 2, 6))];
  const without = (text: string): string[] => text.split('\n').filter((line) => !/\[music\]|-->|^\d*$/.test(line));
  expect(without(toSrt(heard))).toEqual(without(toSrt(plain)));
  expect(toVtt(heard)).toContain('\n[music]\n');
  expect(toPlainText(heard)).toBe('Speaker 1: One two three four.\n\n[music]\n\nSpeaker 2: Five six seven eight.\n');
});

it('every form of text tells them, in the language of the transcript; speakers alone do not', () => {
  const german = { ...talk(event('music', 2, 6)), language: 'de' };
  expect(paragraphsOf(german, {}).map(({ text }) => text)).toContain('[Musik]');
  // A document is no text, and has these paragraphs.
  for (const format of transcriptFormats.filter((each) => each !== 'docx')) {
    const text = String(writeTranscript(german, format));
    if (format === 'rttm') expect(text).not.toContain('Musik');
    else if (format === 'json') expect(text).toContain('"events":[{"sound":"music"');
    else expect(text, format).toContain('[Musik]');
  }
  for (const language of ['de', 'ja', 'xx'])
    expect(new Set(soundKinds.map((kind) => soundLabel(kind, language))).size).toBe(soundKinds.length);
  expect(soundLabel('whale', 'de')).toBe('[whale]');
});

it('JSON holds all of them, and is read back', () => {
  const events = [event('dog', 2.00049, 3), event('dog', 4, 5)];
  expect(parseTranscript(toTranscriptJson(talk(...events))).events).toEqual([
    { ...events[0], startSeconds: 2 },
    events[1],
  ]);
  expect(() => parseTranscript(toTranscriptJson(talk()).replace('"events":[]', '"events":[{"sound":1}]'))).toThrow(
    'events[0]',
  );
  expect(() =>
    parseTranscript(
      toTranscriptJson(talk()).replace(
        '"events":[]',
        '"events":[{"sound":"dog","startSeconds":2,"endSeconds":1,"score":1}]',
      ),
    ),
  ).toThrow('events[0]');
});

it('an edit moves them, cuts what is cut, and leaves no turns at old times', () => {
  const given = {
    ...talk(event('dog', 0.5, 2), event('music', 3, 4)),
    turns: [{ startSeconds: 0, endSeconds: 2, speaker: 1 }],
  };
  const keeps = [
    { startSeconds: 7, endSeconds: 9 },
    { startSeconds: 0, endSeconds: 1.5 },
  ];
  const edited = arrangedTranscript(given, [...words.slice(4), ...words.slice(0, 4)], keeps);
  expect(edited.events).toEqual([event('dog', 2.5, 3.5)]);
  expect(edited.turns).toBeUndefined();
});
