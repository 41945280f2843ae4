import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Transcript } from '../../../../src/library/contract/transcript.ts';
import { splitSentences } from '../../../../src/library/speech/transcript/sentences/split.ts';
import { toAss } from '../../../../src/library/speech/transcript/write/ass.ts';
import { captionsOf } from '../../../../src/library/speech/transcript/write/captions.ts';
import { toDocx } from '../../../../src/library/speech/transcript/write/docx.ts';
import { captionLimits, cellsOf } from '../../../../src/library/speech/transcript/write/limits.ts';
import { toPlainText } from '../../../../src/library/speech/transcript/write/plain-text.ts';
import { toRttm } from '../../../../src/library/speech/transcript/write/rttm.ts';
import { toSrt, toVtt } from '../../../../src/library/speech/transcript/write/subtitles.ts';
import { toTtml } from '../../../../src/library/speech/transcript/write/ttml.ts';
import { ffmpeg, needFfmpeg, scratch } from '../../../fixtures/media/media.ts';
import { slow } from '../../../fixtures/rounds.ts';
import { spoken } from './spoken.ts';
import { skipHere } from '../../../fixtures/missing-part.ts';

const path = scratch();
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
console.info(`formats: seed ${seed} (SEED=${seed} repeats it)`);

function transcriptOf(text: string, speakerCount: number | null = null): Transcript {
  const words = spoken(text);
  return {
    format: 'earshot-transcript',
    version: 1,
    language: 'en',
    durationSeconds: (words.at(-1)?.endSeconds ?? 0) + 1,
    speakerCount,
    sentences: splitSentences(words, 'en'),
  };
}

const talk = transcriptOf(
  '[1] Welcome to the show, everyone. (0.6) Today we talk about R&D <and> {more} of it. [2] Thanks. (2) It is a ' +
    'pleasure to be here with all of you today, and I mean it.',
  2,
);

/** Any text: words of many lengths, sentences, pauses, speakers. */
const anyTalk = fc
  .array(
    fc.oneof(
      fc.constantFrom('a', 'the', 'however,', 'extraordinarily', 'yes.', 'No!', '(0.5)', '(2)', '[1]', '[2]'),
      fc.stringMatching(/^[a-z<>&{}\\]{1,12}$/),
    ),
    {
      minLength: 3,
      maxLength: 80,
    },
  )
  .map((tokens) => transcriptOf(`start ${tokens.join(' ')}`, 2));

/** An XML document and a ZIP as Python reads them: the text of all elements of that name. */
const byPython = (program: string, ...args: string[]): unknown =>
  JSON.parse(execFileSync('python3', ['-c', program, ...args], { encoding: 'utf8' }));

describe('captions whose words have times', () => {
  it('are in WebVTT the same captions, with timestamps that rise within their cue', () => {
    fc.assert(
      fc.property(anyTalk, (transcript) => {
        const karaoke = toVtt(transcript, { karaoke: true });
        expect(karaoke.replaceAll(/<\d\d:\d\d:\d\d\.\d{3}>/g, '')).toBe(toVtt(transcript));
        for (const cue of karaoke.split('\n\n').slice(1)) {
          const times = [...cue.matchAll(/(\d\d):(\d\d):(\d\d\.\d{3})/g)].map(
            ([, h, m, s]) => Number(h) * 3600 + Number(m) * 60 + Number(s),
          );
          const [start, end, ...inside] = times as [number, number, ...number[]];
          const order = [start, ...inside, end];
          expect(order).toEqual([...new Set(order)].toSorted((a, b) => a - b));
        }
      }),
      { seed, numRuns: 60 },
    );
  });

  it('are in ASS as long as the words, each where it is said', () => {
    fc.assert(
      fc.property(anyTalk, (transcript) => {
        // No speaker is named: names are no words.
        const sentences = transcript.sentences.map((sentence) => ({ ...sentence, speaker: null }));
        const unnamed = { ...transcript, speakerCount: null, sentences };
        const events = toAss(unnamed, { karaoke: true })
          .split('\n')
          .filter((line) => line.startsWith('Dialogue'));
        const captions = captionsOf(unnamed);
        expect(events.length).toBe(captions.length);
        for (const [index, { words = [], startSeconds }] of captions.entries()) {
          const sung = [...(events[index] ?? '').matchAll(/\{\\k(\d+)\}/g)].reduce(
            (sum, [, each]) => sum + Number(each),
            0,
          );
          expect(sung / 100).toBeCloseTo((words.at(-1)?.endSeconds ?? 0) - startSeconds, 1);
        }
      }),
      { seed, numRuns: 60 },
    );
  });
});

describe('profiles', () => {
  it('of short videos show one to three words of one line, every word once and in its time', () => {
    fc.assert(
      fc.property(anyTalk, (transcript) => {
        const captions = captionsOf(transcript, undefined, 'shorts');
        let last = 0;
        for (const { lines, words = [], startSeconds, endSeconds } of captions) {
          expect(lines.length).toBe(1);
          expect(words.length).toBeGreaterThanOrEqual(1);
          expect(words.length).toBeLessThanOrEqual(3);
          expect(startSeconds).toBeGreaterThanOrEqual(last - 1e-9);
          expect(endSeconds).toBeGreaterThan(startSeconds);
          expect(startSeconds).toBeCloseTo(words[0]?.startSeconds ?? -1, 2);
          last = endSeconds;
        }
        const said = transcript.sentences
          .flatMap((sentence) => sentence.words)
          .map((word) => word.text.replace('-->', '->'));
        expect(captions.flatMap(({ lines }) => lines).join(' ')).toBe(said.join(' '));
      }),
      { seed, numRuns: 60 },
    );
  });

  it('of broadcasters and of YouTube have shorter lines', () => {
    for (const [profile, cells] of [
      ['broadcast', 37],
      ['youtube', 32],
    ] as const) {
      expect(captionLimits('en', profile).lineCells).toBe(cells);
      for (const { lines } of captionsOf(talk, undefined, profile))
        for (const line of lines) expect(cellsOf(line, captionLimits('en'))).toBeLessThanOrEqual(cells);
    }
    expect(captionLimits('ja', 'youtube')).toEqual(captionLimits('ja'));
  });
});

it('RTTM has a line for each turn, with names', () => {
  const lines = toRttm(talk, { names: { 2: 'Ben Bell' }, recording: 'my talk' })
    .trim()
    .split('\n');
  const fields = lines.map((line) => line.split(' '));
  expect(fields.map(([, file, channel, , , , , name]) => [file, channel, name])).toEqual([
    ['my_talk', '1', 'Speaker_1'],
    ['my_talk', '1', 'Speaker_1'],
    ['my_talk', '1', 'Ben_Bell'],
    ['my_talk', '1', 'Ben_Bell'],
  ]);
  const words = talk.sentences.flatMap((sentence) => sentence.words);
  expect(Number(fields[0]?.[3])).toBeCloseTo(words[0]?.startSeconds ?? -1, 3);
  expect(Number(fields[3]?.[3]) + Number(fields[3]?.[4])).toBeCloseTo(words.at(-1)?.endSeconds ?? -1, 3);
  expect(fields.every((each) => each.length === 10 && each[0] === 'SPEAKER')).toBe(true);
  expect(toRttm({ ...talk, sentences: talk.sentences.map((one) => ({ ...one, speaker: null, words: [] })) })).toBe('');
});

describe('other programs read the same', () => {
  it('ffmpeg the ASS', (context) => {
    needFfmpeg(context);
    const file = path('talk.ass');
    writeFileSync(file, toAss(talk));
    const read = ffmpeg('-i', file, '-f', 'srt', '-').toString();
    // libass knows the escapes, ffmpeg's own reader leaves them.
    const plain = read
      .replaceAll(/\\([{}])/g, '$1')
      .replaceAll(/<[^>]*font[^>]*>/g, '')
      .trim()
      .split(/\n\n/);
    const ours = toSrt(talk).trim().split(/\n\n/);
    expect(plain.map((cue) => cue.split('\n').slice(2).join('\n').replaceAll('\r', ''))).toEqual(
      ours.map((cue) => cue.split('\n').slice(2).join('\n')),
    );
  });

  it('an XML reader the EBU-TT-D', () => {
    const file = path('talk.ttml');
    writeFileSync(file, toTtml(talk, { profile: 'standard' }));
    const program =
      'import sys, json, xml.etree.ElementTree as E\n' +
      't = E.parse(sys.argv[1]).getroot(); n = "{http://www.w3.org/ns/ttml}"\n' +
      'print(json.dumps([[p.get("begin"), p.get("end"), list(p.itertext())] for p in t.iter(n + "p")]))';
    const captions = captionsOf(talk, (speaker) => `Speaker ${speaker}: `);
    const read = byPython(program, file) as [string, string, string[]][];
    expect(read.map(([, , lines]) => lines)).toEqual(captions.map(({ lines }) => lines));
    expect(read[0]?.[0]).toBe('00:00:00.000');
    const empty = toTtml({ ...talk, sentences: [] });
    expect(empty).not.toContain('tt:body');
  });

  it('a ZIP and an XML reader the docx', () => {
    const file = path('talk.docx');
    writeFileSync(file, toDocx(talk, { names: { 2: 'Ben & Co' } }));
    const program =
      'import sys, json, zipfile, xml.etree.ElementTree as E\n' +
      'z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None\n' +
      'n = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"\n' +
      '[E.fromstring(z.read(i)) for i in z.namelist()]\n' +
      'd = E.fromstring(z.read("word/document.xml"))\n' +
      'print(json.dumps(["".join(t.text or "" for t in p.iter(n + "t")) for p in d.iter(n + "p")]))';
    const paragraphs = toPlainText(talk, { names: { 2: 'Ben & Co' } })
      .trim()
      .split('\n\n');
    const read = byPython(program, file) as string[];
    expect(read.map((line) => line.slice(10))).toEqual(paragraphs);
    expect(read[1]).toMatch(/^00:00:0\d {2}Ben & Co: Thanks\./);
  });
});

/** A picture with the captions of a file at 0.5 s. */
const pictureOf = (name: string, ass: string): Buffer => {
  writeFileSync(path(name), ass);
  const filter = `color=black:s=320x180:d=1:r=1,ass=${path(name)}`;
  return ffmpeg('-f', 'lavfi', '-i', filter, '-frames:v', '1', '-f', 'rawvideo', '-pix_fmt', 'gray', '-');
};

it('the full stop of an Arabic or Hebrew caption is at its left end, where players draw it', slow, (context) => {
  needFfmpeg(context);
  const size = { width: 320, height: 180 };
  for (const text of ['مرحبا بكم جميعا.', 'שלום לכולם.']) {
    const words = text.split(' ').map((word, at) => ({ text: word, startSeconds: at / 5, endSeconds: (at + 1) / 5 }));
    const leftward = { ...transcriptOf('one'), sentences: splitSentences(words, 'ar') };
    const own = toAss(leftward, { size });
    // As Unicode's marks for an embedded text of that direction have it (UAX 9).
    const marked = own.replace(/,-1\n/, ',1\n').replace(text, `\u202B${text}\u202C`);
    const unmarked = own.replace(/,-1\n/, ',1\n');
    const picture = pictureOf('own.ass', own);
    if (!picture.some((value) => value > 150)) skipHere(context, 'there is no font on this machine');
    expect(picture.equals(pictureOf('marked.ass', marked))).toBe(true);
    expect(picture.equals(pictureOf('unmarked.ass', unmarked))).toBe(false);
  }
  expect(toAss(talk)).toMatch(/,1\n\n\[Events\]/);
});
