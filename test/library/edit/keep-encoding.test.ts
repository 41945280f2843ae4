// Copies of recordings with losses, packet by packet: the packets are the source's, and what other programs decode of
// them is what they decode of the source.
import { execFileSync } from 'node:child_process';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { cutAudio } from '../../../src/library/tools/cut_audio/tool.ts';
import { joinAudio } from '../../../src/library/tools/join_audio/tool.ts';
import { removeSilence } from '../../../src/library/tools/remove_silence/tool.ts';
import { probe } from '../../../src/library/media/read/probe.ts';
import { EarshotError } from '../../../src/library/core/errors/errors.ts';
import {
  decodeByFfmpeg,
  ffmpeg,
  hasFfmpeg,
  needFfmpeg,
  packetHashes,
  readAll,
  scratch,
  thrownBy,
} from '../../fixtures/media/media.ts';
import { onPath } from '../../fixtures/on-path.ts';
import { runTool } from '../../fixtures/media/run-context.ts';
import { difference, noise, seeded, tone } from '../../fixtures/media/signals.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { recording } from '../../fixtures/recordings.ts';
import { rounds, slow } from '../../fixtures/rounds.ts';

const path = scratch();
const rate = 44_100;
const seconds = 7;

interface Case {
  readonly name: string;
  readonly encoder: readonly string[];
  /** A second reader beside ffmpeg where it is installed, which writes 16-bit WAV. */
  readonly reader: ((file: string, wav: string) => readonly [string, ...string[]]) | null;
  /** Half a packet, seconds. */
  readonly most: number;
  /** Frames after a seam in which the decoder fades, and after a beginning in which it differs from the source. */
  readonly seam: number;
  /** Largest difference outside of that, full scale 1. */
  readonly tolerance: number;
}

const mpg123 = (file: string, wav: string): readonly [string, ...string[]] => ['mpg123', '-q', '-w', wav, file];
const sox = (file: string, wav: string): readonly [string, ...string[]] => ['sox', '-D', file, '-b', '16', wav];
const opusdec = (file: string, wav: string): readonly [string, ...string[]] => [
  'opusdec',
  '--quiet',
  '--no-dither',
  file,
  wav,
];

const cases: readonly Case[] = [
  {
    name: 'cbr.mp3',
    encoder: ['-c:a', 'libmp3lame', '-b:a', '96k'],
    reader: mpg123,
    most: 576 / rate,
    seam: 1700,
    tolerance: 1e-6,
  },
  {
    name: 'vbr.mp3',
    encoder: ['-c:a', 'libmp3lame', '-q:a', '3'],
    reader: mpg123,
    most: 576 / rate,
    seam: 1700,
    tolerance: 1e-6,
  },
  {
    name: 'low.mp3',
    encoder: ['-c:a', 'libmp3lame', '-b:a', '24k', '-ac', '1', '-ar', '22050'],
    reader: mpg123,
    most: 288 / 22_050,
    seam: 1700,
    tolerance: 1e-6,
  },
  // FFmpeg's encoder puts noise in place of sound at low rates, which each decoder makes anew.
  {
    name: 'sound.m4a',
    encoder: ['-c:a', 'aac', '-b:a', '256k', '-aac_pns', '0'],
    reader: null,
    most: 512 / rate,
    seam: 1024,
    tolerance: 1e-6,
  },
  {
    name: 'sound.ogg',
    encoder: ['-c:a', 'libvorbis', '-q:a', '5'],
    reader: sox,
    most: 0.03,
    seam: 1100,
    tolerance: 1e-6,
  },
  // Blocks of both lengths, as of all speech: FFmpeg says of the first of a page that it is like the one before it.
  {
    name: 'attacks.ogg',
    encoder: ['-af', 'asetnsamples=441,volume=if(lt(mod(t+.2\\,.37)\\,.05)\\,1\\,.01):eval=frame', '-c:a', 'libvorbis'],
    reader: sox,
    most: 0.05,
    seam: 1100,
    tolerance: 1e-6,
  },
  {
    name: 'sound.opus',
    encoder: ['-c:a', 'libopus', '-b:a', '96k'],
    reader: opusdec,
    most: 0.01,
    // RFC 7845 asks for 80 ms, after which the difference is small, and ends within a second.
    seam: 3840,
    tolerance: 0.02,
  },
];

function made({ name, encoder }: Pick<Case, 'name' | 'encoder'>): string {
  const file = path(name);
  ffmpeg('-y', '-i', path('source.wav'), ...encoder, '-metadata', 'title=A title', file);
  return file;
}

beforeAll(() => {
  if (!hasFfmpeg) return;
  const [one, two] = [1, 2].map((seed) => noise(seconds * rate, seed, 0.2)) as [Float32Array, Float32Array];
  const hum = tone(seconds * rate, rate, 220, -12);
  for (const plane of [one, two])
    for (let frame = 0; frame < plane.length; frame += 1)
      plane[frame] = (plane[frame]! * (1 + Math.sin(frame / 9000))) / 4 + hum[frame]!;
  writeWav(path('source.wav'), [one, two], rate);
});

/** Sound by the other reader. */
function readBy({ reader }: Case, file: string): Float32Array[] | null {
  if (reader === null) return null;
  const wav = path('other.wav');
  const [program, ...args] = reader(file, wav);
  if (onPath(program) === null) return null;
  execFileSync(program, args, { stdio: 'ignore' });
  return decodeByFfmpeg(wav).planes;
}

/** The largest difference between stretches of a source and what follows each other in a copy. */
function worst(
  copy: readonly Float32Array[],
  source: readonly Float32Array[],
  ranges: readonly (readonly [number, number])[],
  { seam, name }: Case,
  frameRate: number,
): number {
  let [at, most] = [0, 0];
  for (const [index, [from, to]] of ranges.entries()) {
    const [start, end] = [Math.round(from * frameRate), Math.round(to * frameRate)];
    const skipped = index > 0 || name.endsWith('opus') ? seam : 0;
    for (const [channel, plane] of source.entries())
      for (let frame = skipped; frame < end - start; frame += 1)
        most = Math.max(most, Math.abs((copy[channel]![at + frame] ?? 9) - (plane[start + frame] ?? 9)));
    at += end - start;
  }
  // Debian's ffmpeg does not take the padding off in MP4.
  const padding = name.endsWith('m4a') ? 1023 : 0;
  expect(copy[0]!.length).toBeGreaterThanOrEqual(at);
  expect(copy[0]!.length).toBeLessThanOrEqual(at + padding);
  return most;
}

describe('keep_encoding', () => {
  it('copies packets, and decodes as the source does', (context) => expectCopied(cases[0]!, context));

  it.for(cases.slice(1))('copies the packets of $name as well', slow, expectCopied);

  async function expectCopied(one: Case, context: TestContext): Promise<void> {
    needFfmpeg(context);
    const file = made(one);
    const frameRate = probe(file).audio?.sampleRate ?? 0;
    const sources = [decodeByFfmpeg(file).planes, readBy(one, file)];
    for (const wanted of [
      [[0, 2]],
      [[3.321, 5.8765]],
      [
        [1.234, 3],
        [3.5, 3.9],
        [5.001, seconds],
      ],
    ]) {
      const { path: out, result } = await runTool(
        cutAudio,
        file,
        { ranges: wanted, mode: 'keep', keep_encoding: true },
        path('kept-'),
      );
      const kept = result['keptRanges'] as [number, number][];
      const edges = result['edges'] as { askedSeconds: number; givenSeconds: number }[];
      expect(edges.map(({ askedSeconds }) => askedSeconds)).toEqual(
        wanted.flat().map((second) => expect.closeTo(Math.min(second!, (result['keptSeconds'] as number) + 99), 3)),
      );
      for (const [index, { askedSeconds, givenSeconds }] of edges.entries()) {
        const isOuter = (index === 0 && !one.name.endsWith('ogg')) || index === edges.length - 1;
        expect(Math.abs(givenSeconds - askedSeconds)).toBeLessThan(isOuter ? 1e-4 : one.most + 1e-4);
      }
      const copies = [decodeByFfmpeg(out).planes, readBy(one, out)];
      for (const [reader, copy] of copies.entries())
        if (copy)
          expect(worst(copy, sources[reader]!, kept, one, frameRate), `${reader}`).toBeLessThanOrEqual(
            reader === 0 ? one.tolerance : one.tolerance + 2 / 32_768,
          );
      expect(probe(out).tags['title']).toBe('A title');
      const own = readAll(out);
      expect(own.warnings).toEqual([]);
      expect(own.frames / frameRate).toBeCloseTo(result['keptSeconds'] as number, 5);
      // All packets are the source's, but for one of MP3 at each seam and a silent one in front.
      const known = new Set(packetHashes(file, 'a'));
      const others = packetHashes(out, 'a').filter((hash) => !known.has(hash));
      expect(others.length).toBeLessThanOrEqual(one.name.endsWith('mp3') ? 1 + 40 * (kept.length - 1) : 0);
    }
  }

  it.for(cases)('joins files like $name end to end', slow, async (one, context) => {
    needFfmpeg(context);
    const file = made(one);
    const options = { match_loudness: false, keep_encoding: true };
    const { path: out, result } = await runTool(joinAudio, { file_ids: [file, file, file] }, options, path('joined-'));
    const frameRate = probe(file).audio?.sampleRate ?? 0;
    const source = decodeByFfmpeg(file).planes;
    const edges = (result['edges'] as { givenSeconds: number }[]).map(({ givenSeconds }) => givenSeconds);
    // Behind its end, the decoder goes on with what its encoder has put there.
    const ends = edges.map((edge) => Math.min(edge, source[0]!.length / frameRate));
    const ranges = [0, 2, 4].map((at) => [edges[at]!, ends[at + 1]!] as const);
    expect(ranges.every(([from, to]) => Math.abs(from) < 0.05 && Math.abs(to - seconds) < 0.05)).toBe(true);
    expect(readAll(out).frames / frameRate).toBeCloseTo(result['durationSeconds'] as number, 4);
  });

  it('copies Vorbis of speech, whose blocks have two lengths', async (context) => {
    needFfmpeg(context);
    const one = { ...cases.find(({ name }) => name === 'sound.ogg')!, name: 'speech.ogg' };
    const file = path(one.name);
    ffmpeg('-y', '-i', recording('jfk.wav'), '-ar', `${rate}`, ...one.encoder, file);
    const ranges = [
      [0.51, 2.2],
      [3.51, 6.03],
      [8.8, 11],
    ];
    const options = { ranges, mode: 'keep', keep_encoding: true };
    const { path: out, result } = await runTool(cutAudio, file, options, path('kept-'));
    const kept = result['keptRanges'] as [number, number][];
    for (const [index, [start, end]] of kept.entries()) {
      expect(Math.abs(start - ranges[index]![0]!)).toBeLessThan(0.2);
      expect(Math.abs(end - ranges[index]![1]!)).toBeLessThan(0.2);
    }
    const sources = [decodeByFfmpeg(file).planes, readBy(one, file)];
    for (const [reader, copy] of [decodeByFfmpeg(out).planes, readBy(one, out)].entries())
      if (copy)
        expect(worst(copy, sources[reader]!, kept, one, rate), `${reader}`).toBeLessThanOrEqual(
          reader === 0 ? one.tolerance : one.tolerance + 2 / 32_768,
        );
    expect(readAll(out).warnings).toEqual([]);
  });

  it('shortens pauses of speech without encoding', slow, async (context) => {
    needFfmpeg(context);
    const file = path('speech.mp3');
    ffmpeg(
      '-y',
      '-i',
      recording('acoustic_corpus.wav'),
      '-t',
      '20',
      '-ar',
      '44100',
      '-c:a',
      'libmp3lame',
      '-b:a',
      '128k',
      file,
    );
    const encoded = await runTool(removeSilence, file, { min_pause_seconds: 0.3 }, path('encoded-'));
    const kept = await runTool(removeSilence, file, { min_pause_seconds: 0.3, keep_encoding: true }, path('kept-'));
    expect(kept.result['pausesShortened']).toBe(encoded.result['pausesShortened']);
    const cuts = encoded.result['cuts'] as [number, number][];
    for (const [index, [start, end]] of (kept.result['cuts'] as [number, number][]).entries()) {
      expect(Math.abs(start - cuts[index]![0])).toBeLessThan(0.0145);
      expect(Math.abs(end - cuts[index]![1])).toBeLessThan(0.0145);
    }
  });

  it('says where MP3 of 320 kbit/s has no room at a seam, and refuses a millisecond of it', slow, async (context) => {
    needFfmpeg(context);
    const file = made({ name: 'full.mp3', encoder: ['-c:a', 'libmp3lame', '-b:a', '320k'] });
    const source = readAll(file).planes[0]!;
    const keep = { mode: 'keep', keep_encoding: true };
    const ranges = [
      [1.234, 3],
      [3.5, 3.9],
      [5.001, seconds],
    ] as const;
    const { path: out, result, warnings } = await runTool(cutAudio, file, { ...keep, ranges }, path('full-'));
    const said = warnings.map(({ code, message }) => `${code} ${message}`).join();
    const copy = readAll(out).planes[0]!;
    let at = 0;
    for (const [start, end] of result['keptRanges'] as [number, number][]) {
      const [from, to] = [Math.round(start * rate), Math.round(end * rate)];
      at += to - from;
      const isWhole = difference(copy.slice(at - 1000, at - 100), source.slice(to - 1000, to - 100)) < 1e-6;
      expect(isWhole || said.includes(`${(at / rate).toFixed(2)} s`), `${end}`).toBe(true);
    }
    for (const start of [0, 2, seconds - 0.25]) {
      const short = await runTool(cutAudio, file, { ...keep, ranges: [[start, start + 0.25]] }, path('short-'));
      expect(readAll(short.path).frames).toBe(0.25 * rate);
    }
    const shorter = await thrownBy(() => runTool(cutAudio, file, { ...keep, ranges: [[1, 1.001]] }, path('short-')));
    expect(shorter.message).toContain('Expected at least 8 frames of MP3');
  });

  it('refuses what it cannot do, before the run where it can', async (context) => {
    needFfmpeg(context);
    const keep = { ranges: [[0, 1]], keep_encoding: true };
    const wav = await thrownBy(() => runTool(cutAudio, path('source.wav'), keep, path('no-')));
    expect([wav.code, wav.message]).toEqual(['wrong_file_type', expect.stringContaining('pcm_s16le in wav')]);
    const [plan] = [cutAudio.plan({ file_id: [probe(path('source.wav'))] }, cutAudio.parseOptions(keep))];
    expect(plan.refusals).toEqual([expect.objectContaining({ code: 'wrong_file_type' })]);
    const faded = await thrownBy(() =>
      runTool(cutAudio, path('source.wav'), { ...keep, crossfade_ms: 50 }, path('no-')),
    );
    expect(faded.message).toBe('Expected crossfade_ms 0 with keep_encoding but received crossfade_ms 50');
    const [one, other] = [made(cases[0]!), made(cases[2]!)];
    const files = { file_ids: [one, other] };
    const loud = await thrownBy(() => runTool(joinAudio, files, { keep_encoding: true }, path('no-')));
    expect(loud.message).toBe('Expected match_loudness false with keep_encoding but received true');
    const alike = { keep_encoding: true, match_loudness: false };
    const mixed = await thrownBy(() => runTool(joinAudio, files, alike, path('no-')));
    expect(mixed.message).toBe('Expected files of one sample rate to keep their encoding');
  });

  it('copies or refuses damaged files, and says what is cut off', slow, async (context) => {
    needFfmpeg(context);
    const seed = 3;
    console.info(`keep_encoding: seed ${seed}`);
    const random = seeded(seed);
    for (const one of cases) {
      const whole = readFileSync(made(one));
      const file = path(`damaged-${one.name}`);
      for (let round = 0; round < rounds(3, 300); round += 1) {
        const bytes = Buffer.from(whole);
        for (let count = 0; count < 20; count += 1)
          bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
        writeFileSync(file, bytes);
        try {
          await runTool(cutAudio, file, { ranges: [[2, 5]], keep_encoding: true }, path('damaged-'));
        } catch (thrown) {
          expect(thrown, `${one.name}, round ${round}`).toBeInstanceOf(EarshotError);
        }
      }
      // The others do not say before how much there is, or are not readable without their end.
      if (!one.name.endsWith('mp3')) continue;
      writeFileSync(file, whole);
      truncateSync(file, whole.length >> 1);
      const { warnings } = await runTool(cutAudio, file, { ranges: [[1, 3]], keep_encoding: true }, path('short-'));
      expect(
        warnings.map(({ code }) => code),
        one.name,
      ).toContain('truncated');
    }
  });
});
