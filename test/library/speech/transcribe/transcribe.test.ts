import { passesInOne } from '../../../fixtures/passes.ts';
import { expect, test } from 'vitest';
import { AbortError } from '../../../../src/library/core/abort.ts';
import type { TranscriptSentence } from '../../../../src/library/contract/transcript.ts';
import type { SpokenWord } from '../../../../src/library/speech/spoken-word.ts';
import type { ListeningDeps } from '../../../../src/library/speech/transcribe/listening-deps.ts';
import { transcribe, type TranscribeOptions } from '../../../../src/library/speech/transcribe/transcribe.ts';
import type { SpeechSound } from '../../../../src/library/speech/speech-sound.ts';
import { acousticWords } from '../../../fixtures/spoken-sounds.ts';
import { speechOf, speechOfSamples, speechRun } from '../../../fixtures/speech.ts';
import { slow } from '../../../fixtures/rounds.ts';
import { spoken } from '../transcript/spoken.ts';

const silence = speechOfSamples(new Float32Array(16_000 * 60));

interface Listened extends Partial<TranscribeOptions> {
  readonly sound?: SpeechSound;
  readonly regions: readonly (readonly SpokenWord[])[];
  readonly language?: string;
  readonly turns?: readonly { startSeconds: number; endSeconds: number; speaker: number }[];
}

/** Transcribes with deps without networks; says in which order things happened. */
async function listen({ sound = silence, regions, language = 'en', turns = [], ...options }: Listened) {
  const order: string[] = [];
  const deps: ListeningDeps = {
    recognise: (_, { onProgress }) =>
      Promise.resolve({
        language,
        isLanguageTold: true,
        recogniser: { id: 'test', title: 'Test' },
        regions: (async function* () {
          for (const [index, words] of regions.entries()) {
            await Promise.resolve();
            order.push(`region ${index}`);
            onProgress((index + 1) / regions.length);
            yield { startSeconds: 0, endSeconds: 60, words };
          }
        })(),
      }),
    chooseVoice: (_, words) => {
      order.push(`voice by ${words.length}`);
      return Promise.resolve('en');
    },
    // Exact times: 10 ms later.
    refineWords: (_, words) =>
      Promise.resolve(
        words.map((word) => ({
          ...word,
          startSeconds: word.startSeconds + 0.01,
          endSeconds: word.endSeconds + 0.01,
        })),
      ),
    findSpeakers: (_, { onProgress }) => {
      order.push('speakers');
      onProgress(1);
      return Promise.resolve([...turns]);
    },
    labelWords: (words, found) =>
      words.map((word) => {
        const turn = found.find((one) => word.startSeconds >= one.startSeconds && word.startSeconds < one.endSeconds);
        return turn === undefined ? word : { ...word, speaker: turn.speaker };
      }),
  };
  const live: TranscriptSentence[] = [];
  const progress: number[] = [];
  const result = await transcribe(
    sound,
    {
      ...speechRun(),
      verbatim: true,
      speakerLabels: turns.length > 0,
      pass: passesInOne((fraction) => progress.push(fraction)),
      onSentences: (sentences) => {
        live.push(...sentences);
        order.push(...sentences.map(({ text }) => text));
      },
      ...options,
    },
    deps,
  );
  return { ...result, order, live, progress };
}

test('sentences come as they are finished, are those of the transcript, and have exact times', async () => {
  const { transcript, recogniser, order, live } = await listen({
    regions: [spoken('One two. Three'), [], spoken('four. Five.', 2), spoken('Six.', 9)],
  });
  expect(order).toEqual([
    'region 0',
    'region 1',
    'region 2',
    'region 3',
    'voice by 6',
    'One two.',
    'Three four.',
    'Five.',
    'Six.',
  ]);
  expect(live).toEqual(transcript.sentences);
  expect(recogniser).toEqual({ id: 'test', title: 'Test' });
  expect(transcript).toMatchObject({ language: 'en', durationSeconds: 60, speakerCount: null });
  expect(transcript.sentences[0]?.words[0]).toEqual({ text: 'One', startSeconds: 0.01, endSeconds: 0.26 });
});

test('with enough words the voice is known and sentences come region by region', async () => {
  const long = Array.from({ length: 30 }, (_, index) => `W${index} x y.`).join(' ');
  const { order } = await listen({ regions: [spoken(long), spoken('Later.', 40), spoken('Last.', 50)] });
  expect(order.slice(0, 3)).toEqual(['region 0', 'voice by 90', 'W0 x y.']);
  expect(order.indexOf('W28 x y.')).toBeLessThan(order.indexOf('region 1'));
  expect(order.indexOf('Later.')).toBeLessThan(order.length - 1);
});

test('speakers are told apart first and numbered by their first words', async () => {
  const { transcript, order, progress } = await listen({
    regions: [spoken('Hello there. Hi.'), spoken('Who is it?', 5), spoken('Unknown.', 50)],
    turns: [
      { startSeconds: 0, endSeconds: 3, speaker: 4 },
      { startSeconds: 4, endSeconds: 8, speaker: 2 },
      // Heard and never understood.
      { startSeconds: 20, endSeconds: 22, speaker: 1 },
    ],
  });
  expect(order[0]).toBe('speakers');
  // As many people as level_speakers tells apart, with the numbers of the words.
  expect(transcript.speakerCount).toBe(3);
  expect(transcript.turns).toEqual([
    { startSeconds: 0, endSeconds: 3, speaker: 1 },
    { startSeconds: 4, endSeconds: 8, speaker: 2 },
    { startSeconds: 20, endSeconds: 22, speaker: 3 },
  ]);
  expect(transcript.sentences.map(({ speaker, text }) => [speaker, text])).toEqual([
    [1, 'Hello there.'],
    [1, 'Hi.'],
    [2, 'Who is it?'],
    [null, 'Unknown.'],
  ]);
  expect(progress).toEqual(progress.toSorted((a, b) => a - b));
  expect(progress.at(-1)).toBe(1);
});

test('a hesitation that only the prompt suggested, in the middle of a fluent word, is none', async () => {
  const word = (text: string, startSeconds: number, endSeconds: number, rest: object = {}): SpokenWord => ({
    text,
    startSeconds: startSeconds - 0.01,
    endSeconds: endSeconds - 0.01,
    ...rest,
  });
  const sound = await speechOf('acoustic_corpus.wav');
  const start = [
    word('the,', 1.34, 1.46),
    word('uh,', 1.46, 1.56, { prompted: 'hesitation' }),
    word('acoustic', 1.56, 1.89),
  ];
  const pause = [
    word('cares', 7.02, 7.61),
    word('Um,', 8.05, 8.5, { prompted: 'hesitation' }),
    word('this', 8.6, 8.78),
  ];
  const { transcript } = await listen({ sound, regions: [start, pause] });
  sound.close();
  expect(transcript.sentences.flatMap(({ words }) => words.map(({ text }) => text))).toEqual(
    'the acoustic cares Um, this'.split(' '),
  );
  expect(JSON.stringify(transcript)).not.toContain('prompted');
  // What the plain reading has, too, was said.
  const { transcript: said } = await listen({
    sound: await speechOf('acoustic_corpus.wav'),
    regions: [start.map(({ text, startSeconds, endSeconds }) => ({ text, startSeconds, endSeconds }))],
  });
  expect(said.sentences[0]?.text).toBe('the, uh, acoustic');
});

test('a word that only the prompt repeats, in the time of one, is said once', slow, async () => {
  const said = acousticWords().filter(({ startSeconds }) => startSeconds < 7);
  const at = said.findIndex(({ text }) => text === 'talking');
  const { startSeconds, endSeconds } = said[at]!;
  const middle = (startSeconds + endSeconds) / 2;
  const twice: SpokenWord[] = [
    { text: 'talking', startSeconds, endSeconds: middle, prompted: 'word' },
    { text: 'talking', startSeconds: middle, endSeconds },
  ];
  const sound = await speechOf('acoustic_corpus.wav');
  const { transcript } = await listen({ sound, regions: [said.toSpliced(at, 1, ...twice)] });
  sound.close();
  const texts = transcript.sentences.flatMap(({ words }) => words.map(({ text }) => text));
  expect(texts).toEqual(said.map(({ text }) => text));
});

test('without verbatim fillers and slips are gone and nothing else moves', async () => {
  const regions = [spoken('Um, so I I went, uh, home.')];
  const verbatim = await listen({ regions });
  const clean = await listen({ regions, verbatim: false });
  expect(clean.transcript.sentences.map(({ text }) => text)).toEqual(['So I went home.']);
  const times = (words: readonly SpokenWord[] = []) => words.map(({ startSeconds }) => startSeconds);
  const kept = [1, 3, 4, 6];
  expect(times(clean.transcript.sentences[0]?.words)).toEqual(
    kept.map((index) => times(verbatim.transcript.sentences[0]?.words)[index]),
  );
});

test('sentences of another language say so, and do not go on in the first one', async () => {
  const english = spoken('so we went home', 4).map((word) => ({ ...word, language: 'en' }));
  const { transcript } = await listen({
    language: 'de',
    regions: [spoken('Dann kamen sie'), english, spoken('Ja.', 9)],
  });
  expect(transcript.language).toBe('de');
  expect(transcript.sentences.map(({ text, language }) => [text, language])).toEqual([
    ['Dann kamen sie', undefined],
    ['so we went home', 'en'],
    ['Ja.', undefined],
  ]);
  expect(transcript.sentences[1]?.words[0]).not.toHaveProperty('language');
});

test('signs of scripts without blanks become words', async () => {
  const { transcript } = await listen({ language: 'ja', regions: [spoken('行 き ま す。 こ れ は 東 京 で す。')] });
  expect(transcript.sentences.map(({ text, words }) => [text, words.map((word) => word.text)])).toEqual([
    ['行きます。', ['行き', 'ます。']],
    ['これは東京です。', ['これ', 'は', '東京', 'です。']],
  ]);
});

test('no speech is no sentence, and 0 speakers where they were asked for', async () => {
  const turns = [{ startSeconds: 0, endSeconds: 1, speaker: 1 }];
  expect((await listen({ regions: [] })).transcript).toMatchObject({ sentences: [], speakerCount: null });
  expect((await listen({ regions: [[]], turns })).transcript).toMatchObject({
    sentences: [],
    speakerCount: 0,
    turns: [],
  });
});

test('an abort ends it, and what the listener throws fails it', async () => {
  const abort = new AbortController();
  const regions = Array.from({ length: 50 }, (_, index) => spoken('Again and again.', index));
  await expect(
    listen({ regions, signal: abort.signal, onSentences: () => abort.abort(new AbortError()) }),
  ).rejects.toThrow(AbortError);
  await expect(
    listen({
      regions,
      onSentences: () => {
        throw new Error('mine');
      },
    }),
  ).rejects.toThrow('mine');
});

/** Parts that tell in which order they begin and end; each ends when the test says so. */
function gated(seconds: number) {
  const order: string[] = [];
  const gate = (name: string) => {
    let open: (failure?: Error) => void = () => undefined;
    const passed = new Promise<void>((resolve, reject) => {
      open = (failure) => (failure ? reject(failure) : resolve());
    });
    passed.catch(() => undefined);
    const pass = async (): Promise<void> => {
      order.push(`${name} begins`);
      await passed.finally(() => order.push(`${name} ends`));
    };
    return { open, pass };
  };
  const [speakers, words] = [gate('speakers'), gate('words')];
  const deps: ListeningDeps = {
    recognise: async () => {
      await words.pass();
      return {
        language: 'en',
        isLanguageTold: true,
        recogniser: { id: 'test', title: 'Test' },
        regions: (async function* () {
          yield await Promise.resolve({ startSeconds: 0, endSeconds: 5, words: spoken('Hello there.') });
        })(),
      };
    },
    chooseVoice: () => Promise.resolve('en'),
    refineWords: (_, refined) => Promise.resolve([...refined]),
    findSpeakers: async () => {
      await speakers.pass();
      return [{ startSeconds: 0, endSeconds: 5, speaker: 0 }];
    },
    labelWords: (labelled) => labelled.map((word) => ({ ...word, speaker: 0 })),
  };
  const sound = speechOfSamples(new Float32Array(16_000 * seconds));
  const progress: number[] = [];
  const result = transcribe(
    sound,
    { ...speechRun(), verbatim: true, speakerLabels: true, pass: passesInOne((fraction) => progress.push(fraction)) },
    deps,
  ).finally(() => order.push('over'));
  result.catch(() => undefined);
  return { order, speakers, words, result };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('speakers of a short recording are told apart beside the recogniser, of a long one before it', async () => {
  const short = gated(30);
  await turn();
  expect(short.order).toEqual(['speakers begins', 'words begins']);
  short.words.open();
  await turn();
  expect(short.order.at(-1)).toBe('words ends');
  short.speakers.open();
  const { transcript } = await short.result;
  expect(transcript.sentences.map(({ speaker }) => speaker)).toEqual([1]);
  expect(transcript.speakerCount).toBe(1);

  const long = gated(31);
  await turn();
  expect(long.order).toEqual(['speakers begins']);
  long.speakers.open();
  await turn();
  long.words.open();
  await long.result;
  expect(long.order).toEqual(['speakers begins', 'speakers ends', 'words begins', 'words ends', 'over']);
});

test('what fails is thrown, and only when nothing reads the sound any more', async () => {
  const recogniser = gated(5);
  await turn();
  recogniser.words.open(new Error('no words'));
  await turn();
  expect(recogniser.order).not.toContain('over');
  recogniser.speakers.open();
  await expect(recogniser.result).rejects.toThrow('no words');
  expect(recogniser.order.at(-1)).toBe('over');

  const speakers = gated(5);
  await turn();
  speakers.speakers.open(new Error('no speakers'));
  await turn();
  speakers.words.open();
  await expect(speakers.result).rejects.toThrow('no speakers');
  expect(speakers.order).toEqual(['speakers begins', 'words begins', 'speakers ends', 'words ends', 'over']);
});
