import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parseTranscript } from '../../../../src/library/contract/parse-transcript.ts';
import type { Transcript, TranscriptWord } from '../../../../src/library/contract/transcript.ts';
import { readScript, type Cue } from '../../../../src/library/speech/transcript/read/script.ts';
import { splitSentences } from '../../../../src/library/speech/transcript/sentences/split.ts';
import { captionLimits, cellsOf } from '../../../../src/library/speech/transcript/write/limits.ts';
import { toTranscriptJson } from '../../../../src/library/speech/transcript/write/json.ts';
import { captionsOf } from '../../../../src/library/speech/transcript/write/captions.ts';
import { toPlainText } from '../../../../src/library/speech/transcript/write/plain-text.ts';
import { toSrt, toVtt } from '../../../../src/library/speech/transcript/write/subtitles.ts';
import { needFfmpeg, scratch } from '../../../fixtures/media/media.ts';
import { spoken } from './spoken.ts';

const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
console.info(`transcript writers: seed ${seed} (SEED=${seed} repeats it)`);
const path = scratch();

function transcriptOf(words: readonly TranscriptWord[], language = 'en'): Transcript {
  const speakers = new Set(words.flatMap(({ speaker }) => speaker ?? []));
  return {
    format: 'earshot-transcript',
    version: 1,
    language,
    durationSeconds: (words.at(-1)?.endSeconds ?? 0) + 1,
    speakerCount: speakers.size === 0 ? null : speakers.size,
    sentences: splitSentences(words, language),
  };
}

function cuesOf(text: string): readonly Cue[] {
  const script = readScript(text);
  return script.format === 'txt' ? [] : script.cues;
}

const talk = transcriptOf(
  spoken(
    '[1] Good evening, everyone, and welcome to our program about the history of the railways in the north. ' +
      '(0.6) Tonight, Dr. Weber is with us. (0.3) [2] Thank you. I am glad to be here, AT&T < us all. (3) [1] So, ' +
      'when did it all begin, and who was the first to lay tracks of iron across the moors?',
  ),
);

test('a short answer is shown up to half a second before its voice, since there is no time behind it', () => {
  const [, answer] = captionsOf(
    transcriptOf(spoken('[1] Did you go there yourself? (1.4) [2] Yes. [1] And how was it?')),
  );
  expect(answer?.lines).toEqual(['Yes.']);
  const { startSeconds: said } = spoken('[1] Did you go there yourself? (1.4) [2] Yes.').at(-1)!;
  // Its voice has .3 s, and 84 ms of them are between captions.
  expect(answer!.startSeconds).toBeCloseTo(said - 0.5, 3);
  expect(answer!.endSeconds - answer!.startSeconds).toBeCloseTo(0.716, 3);
});

test('JSON is read by the reader of the contract, a sentence a line', () => {
  const words = spoken('[1] One two. [2] Three.').map((word) => ({ ...word, confidence: 0.12345 }));
  const written = toTranscriptJson(transcriptOf(words));
  const read = parseTranscript(written);
  expect(written.split('\n')).toHaveLength(5);
  expect(read).toMatchObject({
    language: 'en',
    speakerCount: 2,
    sentences: [{ text: 'One two.' }, { text: 'Three.' }],
  });
  expect(read.sentences[0]?.words[1]).toEqual({
    text: 'two.',
    startSeconds: 0.3,
    endSeconds: 0.55,
    speaker: 1,
    confidence: 0.123,
  });
  expect(parseTranscript(toTranscriptJson({ ...transcriptOf([]), speakerCount: 0 })).sentences).toEqual([]);
});

test('JSON has who speaks when, and refuses turns that end before they begin', () => {
  const turns = [
    { startSeconds: 0.000_4, endSeconds: 2.123_45, speaker: 1 },
    { startSeconds: 1, endSeconds: 1.5, speaker: 2 },
  ];
  const transcript = { ...transcriptOf(spoken('[1] One two.')), turns };
  const read = parseTranscript(toTranscriptJson(transcript));
  expect(read.turns).toEqual([{ startSeconds: 0, endSeconds: 2.123, speaker: 1 }, turns[1]]);
  expect(parseTranscript(toTranscriptJson(transcriptOf([]))).turns).toBeUndefined();
  expect(() => parseTranscript(toTranscriptJson(transcript).replace('"endSeconds":1.5', '"endSeconds":0.5'))).toThrow(
    'turns[1].endSeconds',
  );
  // Who only coughed is no name in captions.
  expect(toSrt({ ...transcript, speakerCount: 2 })).not.toContain('Speaker');
  expect(toPlainText({ ...transcript, speakerCount: 2 })).not.toContain('Speaker');
});

test('SubRip and WebVTT as people read them', () => {
  expect(toSrt(talk)).toMatchInlineSnapshot(`
    "1
    00:00:00,000 --> 00:00:03,216
    Speaker 1: Good evening, everyone, and
    welcome to our program about the history

    2
    00:00:03,300 --> 00:00:07,616
    of the railways in the north.
    Tonight, Dr. Weber is with us.

    3
    00:00:07,700 --> 00:00:11,750
    Speaker 2: Thank you.
    I am glad to be here, AT&T < us all.

    4
    00:00:14,250 --> 00:00:15,966
    Speaker 1: So, when did it all begin,

    5
    00:00:16,050 --> 00:00:20,400
    and who was the first to lay
    tracks of iron across the moors?
    "
  `);
  expect(toVtt(talk)).toMatchInlineSnapshot(`
    "WEBVTT

    00:00:00.000 --> 00:00:03.216
    <v Speaker 1>Good evening, everyone, and welcome
    to our program about the history

    00:00:03.300 --> 00:00:07.616
    <v Speaker 1>of the railways in the north.
    Tonight, Dr. Weber is with us.

    00:00:07.700 --> 00:00:11.750
    <v Speaker 2>Thank you.
    I am glad to be here, AT&amp;T &lt; us all.

    00:00:14.250 --> 00:00:15.966
    <v Speaker 1>So, when did it all begin,

    00:00:16.050 --> 00:00:20.400
    <v Speaker 1>and who was the first to lay
    tracks of iron across the moors?
    "
  `);
  expect(toPlainText(talk)).toMatchInlineSnapshot(`
    "Speaker 1: Good evening, everyone, and welcome to our program about the history of the railways in the north. Tonight, Dr. Weber is with us.

    Speaker 2: Thank you. I am glad to be here, AT&T < us all.

    Speaker 1: So, when did it all begin, and who was the first to lay tracks of iron across the moors?
    "
  `);
  expect(toVtt(transcriptOf([]))).toBe('WEBVTT\n');
  expect(toSrt(transcriptOf([]))).toBe('');
  expect(toPlainText(transcriptOf([]))).toBe('');
});

test('lines of Japanese captions end with phrases, but for one in ten', () => {
  // Phrases as people divide them (BudouX agrees); 0.5 of the ends of lines were inside phrases, now 0.1 of 22
  // sentences.
  const phrases =
    '昨日の 夜に 東京の 大きな 図書館で 新しい 辞書を 見つけたので、 今日は それについて 皆さんに お話ししたいと 思います。 ' +
    '彼女は 子供の頃から ピアノを 習っていて、 去年の 秋に 初めて 大きな 舞台で 演奏しました。';
  const ends = new Set<number>();
  let length = 0;
  for (const phrase of phrases.split(' ')) ends.add((length += phrase.length));
  const letters = Array.from(phrases.replaceAll(' ', ''));
  const words = letters.map((text, at) => ({ text, startSeconds: at * 0.15, endSeconds: (at + 1) * 0.15 }));
  const lines = captionsOf(transcriptOf(words, 'ja')).flatMap((caption) => caption.lines);
  expect(lines.length).toBeGreaterThan(5);
  let at = 0;
  const inside = lines.filter((line) => !ends.has((at += line.length)));
  // Two short lines in one caption are worth a phrase: "皆さん" and "に".
  expect(inside.length, lines.join(' | ')).toBeLessThanOrEqual(1);
});

test('one speaker is not announced in SubRip and plain text, and is a voice in WebVTT', () => {
  const one = transcriptOf(spoken('[1] Just me. Really.'));
  expect(toSrt(one)).not.toContain('Speaker');
  expect(toPlainText(one)).toBe('Just me. Really.\n');
  expect(toVtt(one)).toContain('<v Speaker 1>');
  expect(toVtt(transcriptOf(spoken('Nobody knows.')))).not.toContain('<v');
});

describe('rules of broadcasters', () => {
  it.each([
    [
      'ja',
      '今日 は 東京 から 生 放送 で お 送り して い ます が、 天気 は とても 良い です ね。 明日 は 雨 が 降る でしょう。',
    ],
    ['zh', '今天 我们 来 谈谈 关于 北方 铁路 的 历史， 第一 个 铺设 铁轨 的 人 是 谁， 以及 他 为什么 这样 做。'],
    ['ko', '오늘 밤 우리는 북부 철도의 역사에 대해 이야기하고 누가 처음으로 철로를 놓았는지 알아보겠습니다.'],
    ['th', 'วันนี้ เรา จะ พูด ถึง ประวัติศาสตร์ ของ ทาง รถไฟ ทาง ภาคเหนือ และ ใคร เป็น คน แรก ที่ วาง ราง เหล็ก'],
    [
      'de',
      'Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenfabrik und noch mehr Wörter ohne Ende, die folgen.',
    ],
  ])('%s keeps to the lines of its language', (language, text) => {
    const transcript = transcriptOf(spoken(`${text} ${text}`), language);
    const limits = captionLimits(language);
    const cues = cuesOf(toSrt(transcript));
    expect(cues.length).toBeGreaterThan(1);
    for (const { lines } of cues) {
      expect(lines.length).toBeLessThanOrEqual(2);
      for (const line of lines) expect(cellsOf(line, limits)).toBeLessThanOrEqual(limits.lineCells);
    }
    const said = transcript.sentences.map((sentence) => sentence.text).join('');
    expect(
      cues
        .map(({ lines }) => lines.join(''))
        .join('')
        .replaceAll(' ', ''),
    ).toBe(said.replaceAll(' ', ''));
  });

  it('Korean lines end at spaces: particles stay with their words, also with foreign ones', () => {
    const text =
      '오늘은 Microsoft에서 나온 프로그램을 서울의 사무실에서 사용하는 방법과 Azure를 회사에서 운영하는 사람들의 이야기를 함께 들어보겠습니다.';
    const transcript = transcriptOf(spoken(`${text} ${text}`), 'ko');
    const cues = cuesOf(toSrt(transcript));
    expect(cues.length).toBeGreaterThan(1);
    expect(cues.flatMap(({ lines }) => lines).join(' ')).toBe(`${text} ${text}`);
  });

  it('holds for any speech that leaves time for it', () => {
    const tokens = fc.array(
      fc.constantFrom(
        ...'Well, the of incomprehensibilities yes. No! okay and (0.4) (1) (2) (5) [1] [2] long, words? a I'.split(' '),
      ),
      { minLength: 1, maxLength: 150 },
    );
    fc.assert(
      fc.property(tokens, (some) => {
        const words = spoken(some.join(' '), 1);
        if (words.length === 0) return;
        const transcript = transcriptOf(words);
        for (const text of [toSrt(transcript), toVtt(transcript)]) {
          const cues = cuesOf(text);
          const body = cues.flatMap(({ lines }) =>
            lines
              .join(' ')
              .replace(/^Speaker \d: /, '')
              .split(' '),
          );
          expect(body).toEqual(words.map((word) => word.text));
          for (const [index, { startSeconds, endSeconds, lines }] of cues.entries()) {
            const next = cues[index + 1];
            expect(lines.length).toBeLessThanOrEqual(2);
            for (const line of lines) expect(line.length).toBeLessThanOrEqual(42);
            expect(endSeconds - startSeconds).toBeLessThanOrEqual(7.001);
            const gap = (next?.startSeconds ?? 1e9) - endSeconds;
            expect(gap).toBeGreaterThanOrEqual(0.083);
            // Nothing flickers: a gap is two pictures, or one that is seen.
            expect(gap < 0.086 || gap >= 0.49, `${gap}`).toBe(true);
            // 5/6 s, unless voices change faster than that.
            const room = (next?.startSeconds ?? 1e9) - startSeconds;
            if (room > 1) expect(endSeconds - startSeconds).toBeGreaterThanOrEqual(0.83);
          }
        }
      }),
      { seed, numRuns: 200 },
    );
  });

  it('stands long enough to be read, unless the voice goes on', () => {
    const cues = cuesOf(toSrt(talk));
    for (const [index, { startSeconds, endSeconds, lines }] of cues.entries()) {
      const letters = lines.join(' ').replace(/^Speaker \d: /, '').length;
      const gap = (cues[index + 1]?.startSeconds ?? 1e9) - endSeconds;
      if (gap > 0.1) expect(letters / (endSeconds - startSeconds)).toBeLessThanOrEqual(20);
    }
  });
});

test('two who talk at once have captions at once', () => {
  const words = [...spoken('[1] I say this for quite some time now.'), ...spoken('[2] While I say that all along.', 1)];
  const transcript: Transcript = {
    ...transcriptOf(words),
    sentences: [...splitSentences(words.slice(0, 8), 'en'), ...splitSentences(words.slice(8), 'en')],
  };
  const cues = cuesOf(toVtt(transcript));
  expect(cues.map(({ voice }) => voice)).toEqual(['Speaker 1', 'Speaker 2']);
  expect(cues[0]!.endSeconds).toBeGreaterThan(cues[1]!.startSeconds);
});

test('sentences whose words nobody timed are written, too', () => {
  const bare: Transcript = {
    ...talk,
    speakerCount: 1,
    sentences: [
      {
        startSeconds: 2,
        endSeconds: 6,
        text: 'Typed by hand, without any times of words at all.',
        speaker: 1,
        words: [],
      },
    ],
  };
  const cues = cuesOf(toSrt(bare));
  expect(cues.map(({ lines }) => lines.join(' ')).join(' ')).toBe('Typed by hand, without any times of words at all.');
  expect(cues[0]!.startSeconds).toBe(2);
  expect(cues.at(-1)!.endSeconds).toBeGreaterThanOrEqual(6);
});

test('ffmpeg reads what was written as it was meant', (context) => {
  needFfmpeg(context);
  const srt = path('talk.srt');
  const vtt = path('talk.vtt');
  writeFileSync(srt, toSrt(talk));
  writeFileSync(vtt, toVtt(talk));
  const through = (file: string, format: string): readonly Cue[] =>
    cuesOf(execFileSync('ffmpeg', ['-v', 'error', '-i', file, '-f', format, '-'], { encoding: 'utf8' }));
  const plain = (cues: readonly Cue[]) =>
    cues.map(({ startSeconds, endSeconds, lines }) => ({ startSeconds, endSeconds, lines }));
  expect(plain(through(srt, 'webvtt'))).toEqual(plain(cuesOf(toSrt(talk))));
  expect(plain(through(vtt, 'srt'))).toEqual(plain(cuesOf(toVtt(talk))));
  const codec = execFileSync('ffprobe', ['-v', 'error', '-show_entries', 'stream=codec_name', '-of', 'csv=p=0', srt]);
  expect(codec.toString().trim()).toBe('subrip');
});

test('words that were not found in the recording are no captions', () => {
  const words = spoken('One two three. Nobody says this. Four five.').map((word, index) =>
    index >= 3 && index < 6 ? { ...word, startSeconds: 1, endSeconds: 1, matched: false } : word,
  );
  const srt = toSrt(transcriptOf(words));
  expect(srt).toContain('One two three.');
  expect(srt).not.toMatch(/Nobody|says|this/u);
  expect(toSrt(transcriptOf(words.map((word) => ({ ...word, matched: false }))))).toBe('');
});

test.each([
  ['ja', '昨日の夜に東京の大きな図書館で新しい辞書を見つけたので、今日はそれについて皆さんにお話ししたいと思います。'],
  ['zh', '昨天晚上我们在北京图书馆发现了一本非常有意思的词典，所以今天想跟大家介绍一下这本词典的内容。'],
])('captions in %s break between words, however the recogniser divides them', (language, text) => {
  const letters = Array.from(text);
  const ends = new Set<number>();
  for (const { segment, index } of new Intl.Segmenter(language, { granularity: 'word' }).segment(text))
    ends.add(index + segment.length);
  // Single letters, pairs, and everything at once.
  for (const size of [1, 2, letters.length]) {
    const words = Array.from({ length: Math.ceil(letters.length / size) }, (_, at) => ({
      text: letters.slice(at * size, (at + 1) * size).join(''),
      startSeconds: at * size * 0.2,
      endSeconds: Math.min(letters.length, (at + 1) * size) * 0.2,
    }));
    const script = readScript(toSrt(transcriptOf(words, language)));
    if (script.format === 'txt') throw new Error('no captions');
    const lines = script.cues.flatMap((cue) => cue.lines);
    expect(lines.join('')).toBe(text);
    expect(lines.length).toBeGreaterThan(2);
    let at = 0;
    for (const line of lines) {
      expect(cellsOf(line, captionLimits(language))).toBeLessThanOrEqual(captionLimits(language).lineCells);
      expect(line).not.toMatch(/^[。、，]/u);
      expect(ends, `${size}: ${lines.join(' | ')}`).toContain((at += line.length));
    }
  }
});
