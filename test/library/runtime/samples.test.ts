// Sound as samples: inputs without a file, and outputs in memory. The truth is a float WAV file with the same samples,
// written here, and numbers computed here.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { createEngine, peaks, probe, readSound, type RunInput, transcribeStream } from '../../../src/index.ts';
import type { RawFormat } from '../../../src/library/media/wave/header.ts';
import { seeded, voice } from '../../fixtures/media/signals.ts';
import { quantised, wavBytes, writeWav } from '../../fixtures/media/pcm-files.ts';
import { slow } from '../../fixtures/rounds.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { fixtureTool } from '../../fixtures/tools/source.ts';
import { listing, rejection, useEngines } from './support.ts';

const rate = 44_100;
const planes = [voice(2.3 * rate, rate, 1), voice(2.3 * rate, rate, 2, 0.2)];
const frames = planes[0]!.length;
const together = Float32Array.from({ length: 2 * frames }, (_, at) => planes[at % 2]![at >> 1]!);
const bytes = Buffer.from(together.buffer);

async function* inBlocks(seed: number): AsyncGenerator<readonly Float32Array[]> {
  const random = seeded(seed);
  for (let from = 0; from < frames;) {
    const to = Math.min(frames, from + Math.floor(random() * 5000));
    yield planes.map((plane) => plane.subarray(from, to));
    from = to;
  }
}

async function* pieces(whole: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size);
}

const inputs: Readonly<Record<string, () => RunInput>> = {
  'an array a channel': () => ({ samples: planes, sampleRate: rate }),
  'one array of all channels': () => ({ samples: together, sampleRate: rate, channels: 2 }),
  'a stream of blocks of any length': () => ({ samples: inBlocks(7), sampleRate: rate, channels: 2 }),
  'a web stream of blocks': () => ({
    samples: ReadableStream.from(inBlocks(8)),
    sampleRate: rate,
    channels: 2,
  }),
  'raw floats in memory': () => ({ raw: bytes, format: 'f32le', sampleRate: rate, channels: 2 }),
  'raw floats in pieces of 1001 bytes': () => ({
    raw: pieces(bytes, 1001),
    format: 'f32le',
    sampleRate: rate,
    channels: 2,
  }),
  'what looks like an AudioBuffer': () => ({
    sampleRate: rate,
    numberOfChannels: 2,
    getChannelData: (channel: number) => planes[channel]!,
  }),
};

/** The samples of a float WAV file, read here. */
function floatsOf(path: string, channels: number): Float32Array[] {
  const file = readFileSync(path);
  const at = file.indexOf('data') + 8;
  const all = new Float32Array(Uint8Array.from(file.subarray(at, at + file.readUInt32LE(at - 4))).buffer);
  return Array.from({ length: channels }, (_, channel) => all.filter((_, index) => index % channels === channel));
}

describe('samples as inputs', () => {
  it.each(Object.entries(inputs))('%s: a file has the same sound', async (_, input) => {
    const facts = await probe(input());
    expect(facts).toMatchObject({ format: 'wav', audio: { sampleRate: rate, channels: 2, codec: 'pcm_f32le' } });
    expect(facts.durationSeconds).toBeCloseTo(frames / rate, 4);
    const { samples, sampleRate } = await readSound(input());
    expect(sampleRate).toBe(rate);
    expect(samples).toEqual(planes);
    expect(await peaks(input())).toEqual(await peaks(wavBytes(planes, rate, 'f32')));
  });

  it.each<[RawFormat, 'u8' | 's16' | 's24' | 's32']>([
    ['u8', 'u8'],
    ['s16le', 's16'],
    ['s24le', 's24'],
    ['s32le', 's32'],
  ])('raw %s is read as its integers say, in a stream without a length', async (format, kind) => {
    const one = planes.map((plane) => plane.subarray(0, 4000));
    const raw = pieces(wavBytes(one, rate, kind).subarray(44), 777);
    const { samples } = await readSound({ raw, format, sampleRate: rate, channels: 2 });
    expect(samples).toEqual(one.map((plane) => plane.map((sample) => quantised(sample, kind) + 0)));
  });

  it("a telephone's bytes are read by G.711's own rule", async () => {
    const raw = Uint8Array.from({ length: 256 }, (_, code) => code);
    // ITU-T G.711, table 2a: a sign, three bits of exponent, four of mantissa; 16 bits are four times its 14.
    const meant = Float32Array.from(raw, (code) => {
      const [turned, sign] = [~code & 0xff, code < 128 ? -1 : 1];
      const magnitude = (((turned & 15) << 1) + 33) * 2 ** ((turned >> 4) & 7) - 33;
      return (sign * 4 * magnitude) / 32_768;
    });
    const { samples } = await readSound({ raw, format: 'mulaw', sampleRate: 8000, channels: 1 });
    expect(samples[0]!.map((sample) => sample + 0)).toEqual(meant.map((sample) => sample + 0));
  });

  it.each<[string, object, string]>([
    [
      'a rate of 0',
      { samples: planes, sampleRate: 0 },
      'Expected whole frames per second between 1 and 768000 for sampleRate but received 0 of type number',
    ],
    [
      'half a frame a second more',
      { samples: planes, sampleRate: 44_100.5 },
      'Expected whole frames per second between 1 and 768000 for sampleRate but received 44100.5 of type number',
    ],
    [
      'channels of two lengths',
      { samples: [planes[0]!, planes[1]!.subarray(1)], sampleRate: rate },
      `Expected equally long channels for samples but received ${frames} and ${frames - 1} frames`,
    ],
    [
      'three channels that are two',
      { samples: planes, sampleRate: rate, channels: 3 },
      'Expected 3 arrays for samples but received 2',
    ],
    [
      'no channels',
      { samples: [], sampleRate: rate },
      'Expected integer between 1 and 64 for channels but received 0 of type number',
    ],
    [
      'an odd number of samples in pairs',
      { samples: together.subarray(1), sampleRate: rate, channels: 2 },
      `Expected a multiple of 2 samples (channels) for samples but received ${2 * frames - 1} samples`,
    ],
    [
      'whole numbers',
      { samples: Int16Array.of(1, 2), sampleRate: rate },
      'Expected a Float32Array, or one for each channel for samples but received Int16Array ' +
        '(PCM of another kind is { raw, format })',
    ],
    [
      'a plain list',
      { samples: [0.1, 0.2], sampleRate: rate },
      'Expected a Float32Array, or one for each channel for samples but received number as channel 1',
    ],
    [
      'a hole',
      { samples: [Float32Array.of(0, 0, 0), Float32Array.of(0, 0.5, Number.NaN)], sampleRate: rate },
      'Expected numbers (full scale is 1) for samples but received NaN at frame 2 of channel 2',
    ],
    [
      'an infinite sample of raw bytes',
      { raw: Buffer.from(Float32Array.of(0, 0, 0, -Infinity).buffer), format: 'f32le', sampleRate: rate, channels: 2 },
      'Expected numbers (full scale is 1) for raw but received -Infinity at frame 1 of channel 2',
    ],
    [
      'half a frame of raw bytes',
      { raw: Buffer.alloc(1001), format: 's16le', sampleRate: rate, channels: 2 },
      'Expected whole frames of 4 bytes (s16le, channels: 2) for raw but received 1001 bytes: 1 too many',
    ],
    [
      'an unknown kind of raw bytes',
      { raw: bytes, format: 's16be', sampleRate: rate, channels: 2 },
      'Expected one of u8, s16le, s24le, s32le, f32le, mulaw, alaw for format but received s16be of type string',
    ],
    [
      'raw bytes without channels',
      { raw: bytes, format: 's16le', sampleRate: rate },
      'Expected integer between 1 and 64 for channels but received nothing',
    ],
    [
      'no sample at all',
      { samples: [new Float32Array(0)], sampleRate: rate },
      'Expected at least one frame for samples but received none',
    ],
    [
      'no byte of raw sound',
      { raw: Buffer.alloc(0), format: 's16le', sampleRate: rate, channels: 2 },
      'Expected samples for raw but received none',
    ],
    [
      'a name that is none',
      { samples: planes, sampleRate: rate, name: 5 },
      'Expected text for name but received 5 of type number',
    ],
  ])('%s is refused by what was expected and what came', async (_, input, message) => {
    expect(await rejection(readSound(input as RunInput))).toMatchObject({ code: 'bad_request', message });
    await expect(transcribeStream(input as never).next()).rejects.toMatchObject({ code: 'bad_request', message });
  });

  it('a hole in a later block is found where it lies in the stream', async () => {
    const blocks = Readable.from([planes, [planes[0], planes[1]!.map((sample, at) => (at === 5 ? Infinity : sample))]]);
    const input = { samples: blocks, sampleRate: rate, channels: 2 } as unknown as RunInput;
    expect((await rejection(readSound(input))).message).toContain(
      `received Infinity at frame ${frames + 5} of channel 2`,
    );
  });
});

const { engine, folder } = useEngines();

describe('samples and runs', () => {
  it('the run gets a WAV file with the name that was given, and nothing stays', async () => {
    const tempDir = folder();
    const input = (name?: string): RunInput => ({
      samples: Float32Array.of(0.25),
      sampleRate: 8000,
      ...(name === undefined ? {} : { name }),
    });
    const { result } = await engine({ tempDir }).run(fixtureTool, [input(), input('talk'), input('my/song.WAV')], {
      behaviour: 'readInputs',
    });
    expect(result['names']).toEqual(['input.wav', 'talk.wav', 'my_song.WAV']);
    const file = wavBytes([Float32Array.of(0.25)], 8000, 'f32').toString('utf8');
    expect(result['texts']).toEqual([file, file, file]);
    expect(listing(tempDir)).toEqual([]);
  });

  it('by field and alone they are one input; one stream for two is refused', async () => {
    const samples = Readable.from([Float32Array.of(0)]) as AsyncIterable<Float32Array>;
    const one = { samples: Float32Array.of(0), sampleRate: 8000 };
    for (const inputs of [one, { files: one }, { file_ids: [one] }]) {
      const { result } = await engine().run(fixtureTool, inputs, { behaviour: 'readInputs' });
      expect(result['names']).toEqual(['input.wav']);
    }
    const twice = [
      { samples, sampleRate: 8000 },
      { samples, sampleRate: 16_000 },
    ];
    const thrown = await rejection(engine().run(fixtureTool, twice, { behaviour: 'readInputs' }));
    expect(thrown.message).toContain('received one twice');
  });

  it('outputs without sound come as streams beside no samples', async () => {
    const tempDir = folder();
    const run = await engine({ tempDir }).samples(fixtureTool, [], { behaviour: 'write', text: 'all of it' });
    expect(run.outputs).toEqual([]);
    expect(run.others.map(({ filename }) => filename)).toEqual(['result.cut.txt']);
    expect(await text(run.others[0]!.stream)).toBe('all of it');
    expect(listing(tempDir)).toEqual([]);
  });
});

describe('tools on samples', () => {
  const tempDir = temporaryFolder('earshot-samples-');
  const shared = createEngine({ tempDir, concurrency: 2 });
  afterAll(async () => {
    await shared.close();
    expect(listing(tempDir)).toEqual([]);
  });

  it('every form gives what the float WAV file gives, bit for bit', slow, async () => {
    const outputDir = temporaryFolder('earshot-samples-out-');
    const path = writeWav(join(outputDir, 'talk.wav'), planes, rate, 'f32');
    const options = { target: 'custom', custom_lufs: -23 } as const;
    const fromFile = await shared.run('adjust_loudness', path, options, { outputDir });
    const expected = floatsOf(fromFile.outputs[0]!.path, 2);
    expect(expected[0]!.length).toBe(frames);
    for (const [name, input] of Object.entries(inputs)) {
      const { outputs, result } = await shared.samples('adjust_loudness', input(), options);
      expect(result, name).toEqual(fromFile.result);
      expect(outputs).toHaveLength(1);
      const [{ samples, sampleRate, filename }] = outputs as [(typeof outputs)[0]];
      expect([sampleRate, filename]).toEqual([rate, 'input.loudness.wav']);
      expect(samples, name).toEqual(expected);
    }
  });

  it('what an option encodes comes back decoded, and what only measures has no outputs', slow, async () => {
    const input = { samples: planes, sampleRate: 48_000, name: 'song' };
    const { outputs } = await shared.samples('convert_audio', input, { format: 'opus' });
    expect(outputs[0]).toMatchObject({ format: 'opus', filename: 'song.convert.opus', sampleRate: 48_000 });
    expect(outputs[0]!.samples[0]!.length).toBe(frames);
    const measured = await shared.samples('analyze_audio', input);
    expect(measured.outputs).toEqual([]);
    expect(measured.result.audio).toMatchObject({ sampleRate: 48_000, channels: 2 });
  });
});
