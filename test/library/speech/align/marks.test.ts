// What people write into scripts that nobody says.
import { describe, expect, it } from 'vitest';
import { scriptWords } from '../../../../src/library/speech/align/script/script-words.ts';
import { readScript } from '../../../../src/library/speech/transcript/read/script.ts';
import { toPlainText } from '../../../../src/library/speech/transcript/write/plain-text.ts';
import { toSrt } from '../../../../src/library/speech/transcript/write/subtitles.ts';
import type { Transcript } from '../../../../src/library/contract/transcript.ts';

const said = (script: string): string =>
  scriptWords(readScript(script), 'en')
    .words.filter(({ spoken }) => spoken !== '')
    .map(({ text }) => text)
    .join(' ');

describe('marks', () => {
  it.each([
    ['Speaker 2: Yes, I do.', 'Yes, I do.'],
    ['SPEAKER A: Yes.', 'Yes.'],
    ['NAME: Hello there.', 'Hello there.'],
    ['**NARRATOR:** Once upon a time', 'Once upon a time'],
    ['**Narrator**: Once upon a time', 'Once upon a time'],
    ['__Anna:__ Yes.', 'Yes.'],
    ["MARY ANN (CONT'D): Yes.", 'Yes.'],
    ['ANNA (V.O.): (softly) Come here.', 'Come here.'],
    ['Well (pause) I think so.', 'Well I think so.'],
    ['Well, (long pause) I (laughs) think so.', 'Well, I think so.'],
    ['(She opens the door and looks at him.)\nCome in.', 'Come in.'],
    ['# Scene 1\n\nIt begins.', 'It begins.'],
    ['## The second part\nIt goes on.', 'It goes on.'],
    ['INT. KITCHEN - DAY\n\nAnna sits down.', 'Anna sits down.'],
    ['FADE IN:\n\nIt is dark.\n\nCUT TO:\n\nIt is light.', 'It is dark. It is light.'],
    ['NARRATOR\nOnce upon a time.', 'Once upon a time.'],
    ['NARRATOR (V.O.)\nOnce upon a time.', 'Once upon a time.'],
    ['***\n\nNext part.', 'Next part.'],
    ['Anna: Hello.\n\nBen: Hi.\n\nAnna: How are you?\n\nBen: Fine.', 'Hello. Hi. How are you? Fine.'],
    ['[applause] Thank you.', 'Thank you.'],
    ['1. Once upon a time\n2. there was a king.', 'Once upon a time there was a king.'],
    ['1) Yes.\n\n2) No.\n\n3) Perhaps.', 'Yes. No. Perhaps.'],
    ['1 ANNA: Yes.\n2 BEN: No.', 'Yes. No.'],
    ['- ANNA: Yes.\n- BEN: No.', 'Yes. No.'],
    ['- Anna: Hello.\n- Ben: Hi.\n- Anna: Good.\n- Ben: Fine.', 'Hello. Hi. Good. Fine.'],
  ])('%j', (script, words) => expect(said(script)).toBe(words));

  it('a dash before a name goes with the name, one of a dialogue stays', () => {
    const texts = (script: string): string[] => scriptWords(readScript(script), 'en').words.map(({ text }) => text);
    expect(texts('- ANNA: Yes.\n— BEN: No.')).toEqual(['Yes.', 'No.']);
    expect(texts('- Yes.\n- No.')).toEqual(['-', 'Yes.', '-', 'No.']);
  });

  it.each([
    // A colon alone makes no name.
    'Remember: the door is open.',
    'He said: come in.',
    'What he said then was this: no.',
    'It is 10:30 now.',
    'The company (founded in 1990 by two brothers) is small.',
    'STOP!\nPlease go on.',
    'I like C# and F#.',
    'It costs #1 and 3.',
    'OK.\nWe are done.',
    '1 is a number.\n3 is another one.',
    '1984 was a year.\nThen came the next.',
  ])('%j is all said', (script) => expect(said(script)).toBe(script.replaceAll('\n', ' ')));

  it('in subtitles: who speaks, and directions; capitals alone on a line are shouted', () => {
    const srt =
      '1\n00:00:01,000 --> 00:00:02,000\nSpeaker 1: Yes.\n- BEN: No.\n\n2\n00:00:03,000 --> 00:00:04,000\n(door ' +
      'slams)\nSTOP NOW\nplease';
    expect(said(srt)).toBe('Yes. No. STOP NOW please');
  });

  it('of our own texts and subtitles are all understood', () => {
    const sentence = (text: string, speaker: number, startSeconds: number): Transcript['sentences'][number] => ({
      startSeconds,
      endSeconds: startSeconds + 1,
      text,
      speaker,
      words: text.split(' ').map((word, index, all) => ({
        text: word,
        startSeconds: startSeconds + index / all.length,
        endSeconds: startSeconds + (index + 1) / all.length,
        speaker,
      })),
    });
    const transcript: Transcript = {
      format: 'earshot-transcript',
      version: 1,
      language: 'en',
      durationSeconds: 10,
      speakerCount: 2,
      sentences: [sentence('Do you hear me?', 1, 0), sentence('Yes, very well.', 2, 3), sentence('Good.', 1, 6)],
    };
    const words = 'Do you hear me? Yes, very well. Good.';
    expect(toPlainText(transcript)).toContain('Speaker 2: Yes');
    expect(said(toPlainText(transcript))).toBe(words);
    expect(toSrt(transcript)).toContain('Speaker 2: Yes');
    expect(said(toSrt(transcript))).toBe(words);
  });
});
