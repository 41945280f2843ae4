// @module-tag slow
// Prints of real recordings, with the weights of the house.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createEngine, makeVoicePrint as printOfFile } from '../../../../src/index.ts';
import type { KnownVoice, VoicePrint } from '../../../../src/library/contract/voice-print.ts';
import { createFanOut } from '../../../../src/library/runtime/job/fan-out.ts';
import { knowVoices } from '../../../../src/library/speech/voices/known-voices.ts';
import { makeVoicePrint } from '../../../../src/library/speech/voices/voice-print.ts';
import { openSpeech, type SpeechSound } from '../../../../src/library/speech/speech-sound.ts';
import { recording } from '../../../fixtures/recordings.ts';
import { converse, readVoice, voiceOf } from '../../../fixtures/sounds/conversations.ts';
import { temporaryFolder } from '../../../fixtures/temporary-folder.ts';

const folder = temporaryFolder('earshot-prints-');
const { signal } = new AbortController();
const options = { fanOut: createFanOut(2, signal), signal, modelsDir: undefined, onProgress: () => undefined };
let files = 0;

function soundOf(samples: Float32Array): SpeechSound {
  const path = join(folder, `${(files += 1)}.f32`);
  writeFileSync(path, new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength));
  return openSpeech(path);
}

function printOf(samples: Float32Array, more: object = {}): Promise<VoicePrint> {
  const workDir = join(folder, `work-${(files += 1)}`);
  mkdirSync(workDir);
  return makeVoicePrint(soundOf(samples), { ...options, workDir, ...more });
}

const jfk = readVoice(recording('jfk.wav'));
const reader = readVoice(recording('sonnet001.mp3'));
let known: KnownVoice[] = [];

beforeAll(async () => {
  known = [
    { name: 'Jack', print: await printOf(jfk) },
    { name: 'Reader', print: await printOf(reader.subarray(0, 20 * 16_000)) },
  ];
}, 60_000);

describe('a person with a print', () => {
  it('is known among strangers, who are not', async () => {
    const voices = [
      voiceOf('jack', [jfk]),
      voiceOf('austen', [readVoice(recording('austen-0870.wav'))]),
      voiceOf('clean', [readVoice(recording('clean_speech_48k.wav'))]),
    ];
    const plan = { seed: 5, people: 3, seconds: 40, noiseBelowDb: 20, interrupting: 0.1, levelRangeDb: 6 };
    const { samples, turns } = converse(voices, plan);
    const numbers = ['jack', 'austen', 'clean'];
    const told = turns.map(({ name, ...turn }) => ({ ...turn, speaker: numbers.indexOf(name) + 1 }));
    const { decisions } = await knowVoices(soundOf(samples), told, known, {
      ...options,
      onOtherModel: () => expect.unreachable(),
    });
    expect(decisions.map(({ name }) => name)).toEqual(['Jack', null, null]);
    expect(decisions[0]?.likeness).toBeGreaterThan(0.6);
    for (const { likeness } of decisions.slice(1)) expect(likeness).toBeLessThan(0.4);
  });

  it('is not known by a print of another network', async () => {
    const old = known.map(({ name, print }) => ({ name, print: { ...print, model: 'f'.repeat(64) } }));
    const left: string[] = [];
    const { decisions } = await knowVoices(soundOf(jfk), [{ speaker: 1, startSeconds: 0, endSeconds: 11 }], old, {
      ...options,
      onOtherModel: (voices) => left.push(...voices.map(({ name }) => name)),
    });
    expect(left).toEqual(['Jack', 'Reader']);
    expect(decisions).toMatchObject([{ speaker: 1, name: null, likeness: null }]);
  });
});

describe('no print is made', () => {
  it('of two people', async () => {
    const both = new Float32Array([...jfk, ...reader.subarray(0, 11 * 16_000)]);
    await expect(printOf(both)).rejects.toMatchObject({
      code: 'bad_request',
      details: { reason: 'several_voices' },
    });
    const ranges = [{ startSeconds: 0, endSeconds: 11 }];
    expect((await printOf(both, { ranges })).seconds).toBeCloseTo(known[0]?.print.seconds ?? 0, -1);
  });

  it('of less than 5 s of speech, and of a place outside the recording', async () => {
    await expect(printOf(jfk.subarray(0, 3 * 16_000))).rejects.toMatchObject({
      details: { reason: 'too_little_speech' },
    });
    await expect(printOf(jfk, { ranges: [{ startSeconds: 20, endSeconds: 30 }] })).rejects.toMatchObject({
      code: 'ranges_outside',
    });
  });
});

it('a transcript has the name, and the result how much alike the voice is', async () => {
  await using engine = createEngine({ concurrency: 1 });
  const print = await printOfFile(recording('jfk.wav'));
  const knownVoices = [{ name: 'Jack <K>', print }, ...known.slice(1)];
  const run = await engine.run(
    'transcribe_audio',
    recording('jfk.wav'),
    { language: 'en', voices: ['jack <k>'] },
    { knownVoices, outputDir: folder },
  );
  expect(run.result.voices).toMatchObject([{ speaker: 1, name: 'Jack <K>', runnerUp: null, uncertain: false }]);
  expect(run.result.voices?.[0]?.likeness).toBeGreaterThan(0.9);
  const read = (format: string) => readFileSync(run.outputs.find((one) => one.format === format)?.path ?? '', 'utf8');
  expect(read('txt').startsWith('Jack <K>: And so')).toBe(true);
  expect(read('vtt')).toContain('<v Jack &lt;K&gt;>');
  expect(JSON.parse(read('json'))).toMatchObject({ names: { 1: 'Jack <K>' } });
  // Names may go on with a transcript; numbers of voices never.
  for (const format of ['json', 'txt', 'vtt', 'srt']) expect(read(format)).not.toContain(print.plain.slice(0, 24));
  await expect(
    engine.run('transcribe_audio', recording('jfk.wav'), { voices: ['Nemo'] }, { knownVoices }),
  ).rejects.toMatchObject({ code: 'bad_request', message: expect.not.stringContaining('Nemo') });
});
