// What is written down of real recordings, against their texts.
import { describe, expect, it } from 'vitest';
import { recognise } from '../../../../src/library/speech/recognise/recognise.ts';
import type { RecognisedRegion } from '../../../../src/library/speech/recognise/windows/recognition.ts';
import type { SpeechSound } from '../../../../src/library/speech/speech-sound.ts';
import type { SpokenWord } from '../../../../src/library/speech/spoken-word.ts';
import { findSpeech, speechOf, speechOfSamples, speechRun } from '../../../fixtures/speech.ts';
import { whisper } from '../../../fixtures/sounds/revoice.ts';
import { spokenSound, withNoise } from '../../../fixtures/spoken-sounds.ts';
import { resampled } from '../../../../bench/quality/voice-cases.ts';
import { seeded } from '../../kernels/signals.ts';
import { slow, slower } from '../../../fixtures/rounds.ts';

const second = 16_000;
const deutsch =
  'Am frühen Morgen kamen die ersten Boote in den Hafen zurück. Niemand hatte sie vor dem Mittag erwartet, und die ' +
  'Markthalle war noch geschlossen. Eine Frau in einem grünen Mantel fragte den ältesten Fischer nach dem Wetter.';

interface Heard {
  readonly language: string;
  readonly regions: readonly RecognisedRegion[];
  readonly words: readonly SpokenWord[];
  readonly plain: string;
}

async function listen(sound: SpeechSound, options: { language?: string; parallelism?: number } = {}): Promise<Heard> {
  const { language, regions } = await recognise(sound, {
    ...speechRun(options.parallelism ?? 1),
    language: options.language,
    verbatim: false,
  });
  const found: RecognisedRegion[] = [];
  for await (const region of regions) found.push(region);
  const words = found.flatMap((region) => region.words);
  const plain = words
    .map(({ text }) => text.toLowerCase().replaceAll(/[^a-z' -]/g, ''))
    .join(' ')
    .replaceAll('-', ' ');
  return { language, regions: found, words, plain };
}

const jfk = 'and so my fellow americans ask not what your country can do for you ask what you can do for your country';

describe('recognise', () => {
  it('writes down a speech, its words in order and where voices are', slow, async () => {
    const sound = await speechOf('jfk.wav');
    const { language, words, plain } = await listen(sound);
    expect(language).toBe('en');
    expect(plain).toBe(jfk);
    const voices = await findSpeech(sound, speechRun());
    for (const [index, word] of words.entries()) {
      expect(word.startSeconds).toBeGreaterThanOrEqual(words[index - 1]?.endSeconds ?? 0);
      expect(word.endSeconds).toBeGreaterThan(word.startSeconds);
      expect(voices.some((v) => word.startSeconds >= v.startSeconds && word.endSeconds <= v.endSeconds)).toBe(true);
      expect(word.confidence).toBeGreaterThan(0);
      expect(word.confidence).toBeLessThanOrEqual(1);
    }
    // Starts read off the waveform.
    const starts = { ask: 3.3, country: 5.76, 'country.': 9.95 };
    for (const [text, seconds] of Object.entries(starts))
      expect(Math.abs((words.find((word) => word.text === text)?.startSeconds ?? 0) - seconds)).toBeLessThan(0.2);
  });

  it('reads speech that was recorded far too quietly, 45 dB down in 16 bits', slower, async () => {
    const sound = await speechOf('austen-0870.wav');
    const { plain } = await listen(sound);
    expect(plain.split(' ').length).toBeGreaterThan(20);
    const soft = sound.read(0, sound.frames).map((x) => Math.round(x * 10 ** (-45 / 20) * 32_767) / 32_767);
    expect((await listen(speechOfSamples(soft))).plain).toBe(plain);
  });

  it('skips nothing of a poem with long pauses, and is the same on two cores', slower, async () => {
    const sound = await speechOf('sonnet001.mp3');
    const one = await listen(sound);
    expect((await listen(sound, { parallelism: 2 })).regions).toEqual(one.regions);
    // From every line of the sonnet a word that Whisper base knows.
    for (const word of ['fairest', 'thereby', 'deceased', 'memory', 'contracted', 'flame', 'famine', 'sweet'])
      expect(one.plain).toContain(word);
    for (const word of ['ornament', 'herald', 'content', 'waste', 'pity', 'grave']) expect(one.plain).toContain(word);
    // Nowhere a second and a half of voice without a word.
    for (const voice of await findSpeech(sound, speechRun())) {
      let from = voice.startSeconds;
      for (const word of one.words.filter(
        (w) => w.endSeconds > voice.startSeconds && w.startSeconds < voice.endSeconds,
      )) {
        expect(word.startSeconds - from).toBeLessThan(1.5);
        from = word.endSeconds;
      }
      expect(voice.endSeconds - from).toBeLessThan(1.5);
    }
  });

  it('reads a whisper that the network for voices takes for noise', slower, async () => {
    const voice = resampled((await speechOf('jfk.wav')).read(0, 11 * second), second, 48_000);
    const whispered = withNoise(resampled(whisper(voice), 48_000, second), 10, seeded(3));
    const { plain, language } = await listen(speechOfSamples(whispered));
    expect(language).toBe('en');
    expect(plain).toContain('what your country can do for you');
  });

  it('reads a whisper that the network for voices passes over behind a voice', slower, async () => {
    const speech = await speechOf('jfk.wav');
    const voice = speech.read(0, speech.frames);
    const whispered = resampled(whisper(resampled(voice, second, 48_000)), 48_000, second);
    const { words } = await listen(speechOfSamples(voice, whispered));
    const behind = words.filter(({ startSeconds }) => startSeconds > 11);
    expect(behind.map(({ text }) => text).join(' ')).toContain('country can do for you');
    speech.close();
  });

  it('writes nothing where nobody speaks, and finds a word far into silence', slower, async () => {
    const random = seeded(8);
    const noise = Float32Array.from({ length: 30 * second }, () => (random() - 0.5) * 0.05);
    expect((await listen(speechOfSamples(noise, new Float32Array(30 * second)))).words).toEqual([]);
    expect((await listen(speechOfSamples(new Float32Array(0)))).words).toEqual([]);
    const speech = await speechOf('jfk.wav');
    const voice = speech.read(0, speech.frames);
    const { plain, words } = await listen(speechOfSamples(noise, voice, noise, noise, voice));
    expect(plain).toBe(`${jfk} ${jfk}`);
    expect(words[0]?.startSeconds).toBeGreaterThan(30);
    expect(words[22]?.startSeconds).toBeGreaterThan(101);
  });

  it('reads English after German as English, also where a window has both', slower, async () => {
    const { sound: german } = await spokenSound('de', `${deutsch} ${deutsch} ${deutsch}`);
    const [de, en, gap] = [german.read(0, german.frames), await speechOf('jfk.wav'), new Float32Array(2 * second)];
    const mixed = speechOfSamples(de, gap, en.read(0, en.frames));
    const { language, words } = await listen(mixed);
    expect(language).toBe('de');
    const said = (other?: string): string =>
      words
        .flatMap((word) => (word.language === other ? [word.text.toLowerCase().replaceAll(/\P{L}/gu, '')] : []))
        .join(' ');
    expect(said('en')).toContain('what your country can do for you ask what you can do for your country');
    expect(said()).toContain('am frühen morgen kamen die');
    // Which words of a synthetic voice are heard otherwise depends on the processor.
    const heard = new Set(said().split(' '));
    const spoken = deutsch
      .toLowerCase()
      .split(/\P{L}+/u)
      .filter((word) => word !== '');
    expect(spoken.filter((word) => heard.has(word)).length / spoken.length).toBeGreaterThan(0.7);
    expect(said()).not.toContain('country');
    for (const one of [german, en]) one.close();
  });

  it('refuses a language that the model does not know', async () => {
    const sound = speechOfSamples(new Float32Array(second));
    await expect(recognise(sound, { ...speechRun(), language: 'tlh', verbatim: false })).rejects.toMatchObject({
      code: 'bad_request',
      details: { field: 'language', received: 'tlh' },
    });
  });

  it('stops at once', slow, async () => {
    const sound = await speechOf('sonnet001.mp3');
    const controller = new AbortController();
    const { regions } = await recognise(sound, {
      ...speechRun(),
      language: 'en',
      verbatim: false,
      signal: controller.signal,
    });
    let atAbort = process.cpuUsage();
    setTimeout(() => {
      atAbort = process.cpuUsage();
      controller.abort();
    }, 500);
    const all = async (): Promise<void> => {
      for await (const region of regions) expect(region.words.length).toBeGreaterThan(0);
    };
    await expect(all()).rejects.toMatchObject({ name: 'AbortError' });
    // 200 ms of two cores: other programs take time from this one, but none of its CPU.
    const { user, system } = process.cpuUsage(atAbort);
    expect((user + system) / 1000).toBeLessThan(2 * 200);
  });
});
