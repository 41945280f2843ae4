// Copies of FLAC and ALAC packet by packet: samples are those of the source, by two other programs, and the packets
// away from edges are the source's bytes.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { EarshotError } from '../../../src/library/core/errors/errors.ts';
import { probe } from '../../../src/library/media/read/probe.ts';
import { cutAudio } from '../../../src/library/tools/cut_audio/tool.ts';
import { joinAudio } from '../../../src/library/tools/join_audio/tool.ts';
import { removeSilence } from '../../../src/library/tools/remove_silence/tool.ts';
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
import { joined, noise, seeded, tone } from '../../fixtures/media/signals.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { recording } from '../../fixtures/recordings.ts';
import { rounds, slow } from '../../fixtures/rounds.ts';

const path = scratch();
const rate = 44_100;
const frames = 5 * rate;

interface Case {
  readonly name: string;
  readonly encoder: readonly string[];
  /** Frames in a packet. */
  readonly block: number;
}

const deep = ['-af', 'volume=.3', '-c:a', 'flac', '-sample_fmt', 's32', '-bits_per_raw_sample', '24'];
const cases: readonly Case[] = [
  { name: 'sound.flac', encoder: ['-c:a', 'flac'], block: 4608 },
  { name: 'sound.m4a', encoder: ['-c:a', 'alac', '-sample_fmt', 's16p'], block: 4096 },
  { name: 'deep.flac', encoder: [...deep, '-ar', '48000', '-ac', '1'], block: 4608 },
  { name: 'small.flac', encoder: ['-c:a', 'flac', '-frame_size', '576'], block: 576 },
  { name: 'six.flac', encoder: ['-c:a', 'flac', '-ac', '6'], block: 4608 },
  { name: 'deep.m4a', encoder: ['-af', 'volume=.3', '-c:a', 'alac', '-sample_fmt', 's32p'], block: 4096 },
];

function made({ name, encoder }: Case, length?: number): string {
  const file = path(`${length ?? ''}${name}`);
  const cut = length === undefined ? [] : ['-af', `atrim=end_sample=${length}`];
  ffmpeg('-i', path('source.wav'), ...encoder, ...cut, '-metadata', 'title=A title', file);
  return file;
}

beforeAll(() => {
  if (!hasFfmpeg) return;
  const hum = tone(frames, rate, 220, -12);
  const planes = [1, 2].map((seed) => noise(frames, seed, 0.1).map((sample, frame) => sample + hum[frame]!));
  writeWav(path('source.wav'), planes, rate);
});

/** By the program of the format's authors; null: it is not here, or reads another format. */
function decodeByFlac(file: string): Float32Array[] | null {
  const program = onPath('flac');
  if (program === null || !file.endsWith('flac')) return null;
  const wav = path('flac.wav');
  execFileSync(program, ['-t', '-s', file], { stdio: 'ignore' });
  execFileSync(program, ['-d', '-s', '-f', '-o', wav, file], { stdio: 'ignore' });
  return decodeByFfmpeg(wav).planes;
}

const hashOf = (...planes: readonly Float32Array[]): string => {
  const hash = createHash('sha256');
  for (const plane of planes) hash.update(Buffer.from(plane.buffer, plane.byteOffset, plane.byteLength));
  return `${planes[0]?.length} ${hash.digest('hex')}`;
};

/** What each frame of a FLAC file, or packet of another one, holds beside its number and its checksums. */
function contents(file: string): string[] {
  if (!file.endsWith('flac')) return packetHashes(file, 'a');
  const bytes = readFileSync(file);
  const listed = execFileSync('ffprobe', ['-v', 'error', '-show_entries', 'packet=pos,size', '-of', 'csv=p=0', file]);
  return listed
    .toString()
    .trim()
    .split('\n')
    .map((line) => {
      const [size, pos] = line.split(',').map(Number) as [number, number];
      const frame = bytes.subarray(pos, pos + size);
      const lead = frame[4]!;
      const number = lead < 0x80 ? 1 : Math.clz32(~(lead << 24));
      // Behind the number come up to four bytes of sizes, and the checksum of the head, which holds the number.
      return createHash('sha256')
        .update(frame.subarray(4 + number + 5, -2))
        .digest('hex');
    });
}

/** The stretches of a source one behind the other. */
const stretches = (planes: readonly Float32Array[], ranges: readonly (readonly [number, number])[]): Float32Array[] =>
  planes.map((plane) => joined(...ranges.map(([start, end]) => plane.slice(start, end))));

function expectSame(file: string, wanted: readonly Float32Array[]): void {
  expect(hashOf(...decodeByFfmpeg(file).planes), file).toBe(hashOf(...wanted));
  const other = decodeByFlac(file);
  if (other) expect(hashOf(...other), file).toBe(hashOf(...wanted));
  const own = readAll(file);
  expect(hashOf(...own.planes), file).toBe(hashOf(...wanted));
  expect(own.warnings).toEqual([]);
}

describe('keep_encoding without losses', () => {
  it('keeps every sample of stretches of FLAC, and the frames inside them', (context) => {
    needFfmpeg(context);
    return expectKept(cases[0]!);
  });

  it.for(cases.slice(1))('keeps every sample of stretches of $name', slow, (one, context) => {
    needFfmpeg(context);
    return expectKept(one);
  });

  async function expectKept(one: Case): Promise<void> {
    const file = made(one);
    const { planes, rate: own } = decodeByFfmpeg(file);
    const length = planes[0]!.length;
    const seed = 5;
    console.info(`keep_encoding of ${one.name}: seed ${seed}`);
    const random = seeded(seed);
    const near = (): number => Math.floor(random() * 4) * one.block + Math.floor(random() * 40) - 20;
    const chosen: (readonly [number, number])[][] = [
      [[0, 3 * one.block]],
      [[one.block + 1, length]],
      [[5, 12]],
      [
        [1000, 3 * one.block + 5],
        [3 * one.block + 9, 3 * one.block + 17],
        [4 * one.block - 3, length - 1],
      ],
    ];
    for (let round = 0; round < rounds(1, 200); round += 1) {
      const edges = Array.from({ length: 6 }, () => Math.max(0, near() + Math.floor(random() * 2) * 5 * one.block));
      const sorted = [...new Set(edges)].toSorted((a, b) => a - b);
      chosen.push(Array.from({ length: sorted.length >> 1 }, (_, at) => [sorted[2 * at]!, sorted[2 * at + 1]!]));
    }
    for (const ranges of chosen) {
      const options = { ranges: ranges.map((range) => range.map((frame) => frame / own)), mode: 'keep' } as const;
      const hard = { ...options, keep_encoding: true, crossfade_ms: 0 };
      const { path: out, result } = await runTool(cutAudio, file, hard, path('kept-'));
      expectSame(out, stretches(planes, ranges));
      for (const { askedSeconds, givenSeconds } of result['edges'] as { askedSeconds: number; givenSeconds: number }[])
        expect(givenSeconds).toBe(askedSeconds);
      expect(probe(out).tags['title']).toBe('A title');
      expect(probe(out).audio?.bitsPerSample).toBe(probe(file).audio?.bitsPerSample);
      const whole = ranges.flatMap(([start, end]) => {
        const [first, last] = [Math.ceil(start / one.block), Math.floor(end / one.block)];
        return last > first ? [last - first] : [];
      });
      const known = new Set(contents(file));
      const kept = contents(out).filter((hash) => known.has(hash)).length;
      // A short edge takes the packet beside it.
      expect(kept).toBeGreaterThanOrEqual(whole.reduce((sum, count) => sum + count - 1, 0));
    }
    const options = {
      ranges: [
        [1.234, 2],
        [2.5, 2.51],
        [3.001, 4],
      ],
      mode: 'keep',
    } as const;
    const faded = await runTool(cutAudio, file, { ...options, keep_encoding: true }, path('faded-'));
    const encoded = await runTool(cutAudio, file, options, path('encoded-'));
    expectSame(faded.path, decodeByFfmpeg(encoded.path).planes);
  }

  it.for(cases.slice(0, 2))('joins files like $name, whose last packets are short', slow, async (one, context) => {
    needFfmpeg(context);
    const files = [2 * one.block + 7, one.block, 15, 3 * one.block + 900].map((length) => made(one, length));
    const { path: out } = await runTool(
      joinAudio,
      { file_ids: files },
      { match_loudness: false, keep_encoding: true },
      path('joined-'),
    );
    const sources = files.map((file) => decodeByFfmpeg(file).planes);
    expectSame(
      out,
      [0, 1].map((channel) => joined(...sources.map((planes) => planes[channel]!))),
    );
    const other = made({ ...one, encoder: [...one.encoder, '-ar', '48000'], name: `other-${one.name}` });
    const unlike = await thrownBy(() =>
      runTool(joinAudio, { file_ids: [files[0]!, other] }, { match_loudness: false, keep_encoding: true }, path('no-')),
    );
    expect(unlike.message).toBe('Expected files of one sample rate to keep their encoding');
  });

  it('shortens the same pauses with the same sound as without', slow, async (context) => {
    needFfmpeg(context);
    const file = path('speech.flac');
    ffmpeg('-i', recording('acoustic_corpus.wav'), '-t', '20', '-c:a', 'flac', file);
    const encoded = await runTool(removeSilence, file, { min_pause_seconds: 0.3 }, path('encoded-'));
    const kept = await runTool(removeSilence, file, { min_pause_seconds: 0.3, keep_encoding: true }, path('kept-'));
    expect(kept.result['cuts']).toEqual(encoded.result['cuts']);
    expectSame(kept.path, decodeByFfmpeg(encoded.path).planes);
  });

  it('says before what a FLAC loses by it, and refuses samples of 20 bits', slow, async (context) => {
    needFfmpeg(context);
    const file = made(cases[0]!);
    const keep = { ranges: [[0, 1]], keep_encoding: true };
    const plan = cutAudio.plan({ file_id: [probe(file)] }, cutAudio.parseOptions(keep));
    expect(plan.notes.join()).toContain('MD5');
    expect(plan.refusals).toEqual([]);
    const odd = path('odd.flac');
    ffmpeg('-i', path('source.wav'), '-c:a', 'flac', '-sample_fmt', 's32', '-bits_per_raw_sample', '20', odd);
    if (probe(odd).audio?.bitsPerSample !== 20) return;
    const refused = await thrownBy(() => runTool(cutAudio, odd, keep, path('no-')));
    expect(refused.code).toBe('wrong_file_type');
  });

  it('copies damaged files with their damage, or refuses them', slow, async (context) => {
    needFfmpeg(context);
    const seed = 3;
    console.info(`damaged lossless files: seed ${seed}`);
    const random = seeded(seed);
    for (const one of cases.slice(0, 2)) {
      const whole = readFileSync(made(one));
      const file = path(`damaged-${one.name}`);
      for (let round = 0; round < rounds(6, 300); round += 1) {
        const bytes = Buffer.from(whole);
        for (let count = 0; count < 10; count += 1)
          bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
        writeFileSync(file, bytes);
        try {
          await runTool(cutAudio, file, { ranges: [[2, 3]], keep_encoding: true }, path('damaged-'));
        } catch (thrown) {
          expect(thrown, `${one.name}, round ${round}`).toBeInstanceOf(EarshotError);
        }
      }
    }
  });
});
