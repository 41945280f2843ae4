// WAV as a browser's tab reads and writes it, beside FFmpeg through node-av. Both run here: what a tab has in the place
// of the media layer is code like any other.
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { tabMedia } from '../../src/browser/in-place-of/media-port.ts';
import * as tabDecode from '../../src/browser/in-place-of/library/media/read/decode.ts';
import * as tabProbe from '../../src/browser/in-place-of/library/media/read/probe.ts';
import * as tabEncode from '../../src/browser/in-place-of/library/media/write/encode.ts';
import type { MediaFacts } from '../../src/library/media/facts.ts';
import type { DecodeOptions } from '../../src/library/media/read/decode.ts';
import * as nodeDecode from '../../src/library/media/read/decode.ts';
import * as nodeProbe from '../../src/library/media/read/probe.ts';
import type { EncodeOptions } from '../../src/library/media/write/encode.ts';
import * as nodeEncode from '../../src/library/media/write/encode.ts';
import type { AudioFormat } from '../../src/library/pcm/block.ts';
import { seeded } from '../fixtures/random.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const folder = temporaryFolder('earshot-tab-wave-');

/** Noise that passes full scale here and there. */
function noise(channels: number, frames: number, seed: number): Float32Array[] {
  const random = seeded(seed);
  return Array.from({ length: channels }, () => Float32Array.from({ length: frames }, () => 2.04 * random() - 1.02));
}

/** A file in two blocks, and what its writer said. */
function written(
  { openEncoder }: Pick<typeof tabEncode, 'openEncoder'>,
  name: string,
  format: AudioFormat,
  planes: readonly Float32Array[],
  options: Omit<EncodeOptions, 'format'>,
): { path: string; bytes: Buffer; warnings: unknown; format: AudioFormat } {
  const path = join(folder, name);
  const sink = openEncoder(path, format, { format: 'wav', threads: null, ...options } as EncodeOptions);
  const frames = planes[0]?.length ?? 0;
  const cut = Math.floor(frames / 3);
  sink.write({ planes: planes.map((plane) => plane.slice(0, cut)), frames: cut });
  sink.write({ planes: planes.map((plane) => plane.slice(cut)), frames: frames - cut });
  void sink.finish();
  sink.close();
  return { path, bytes: readFileSync(path), warnings: sink.warnings, format: sink.format };
}

function heard(openAudio: typeof nodeDecode.openAudio, facts: MediaFacts, options: DecodeOptions): object {
  const source = openAudio(facts, options);
  const planes: Float32Array[][] = Array.from({ length: source.format.channels }, () => []);
  for (let block = source.next(); block; block = source.next())
    for (const [channel, plane] of block.planes.entries()) planes[channel]?.push(plane.slice(0, block.frames));
  source.close();
  return {
    format: source.format,
    expectedFrames: source.expectedFrames,
    warnings: source.warnings,
    planes: planes.map((parts) => Buffer.concat(parts.map(({ buffer }) => Buffer.from(buffer)))),
  };
}

const tagged = (...pairs: readonly (readonly [string, string])[]): NonNullable<EncodeOptions['tags']> => ({
  entries: pairs.map(([name, value]) => ({ name, values: [value] })),
  pictures: [],
});

const kinds: readonly (readonly [AudioFormat, Omit<EncodeOptions, 'format'>])[] = [
  [{ sampleRate: 48_000, channels: 2, layout: 'stereo' }, { bitDepth: '16' }],
  [
    { sampleRate: 44_100, channels: 1, layout: 'mono' },
    { bitDepth: '24', tags: tagged(['title', 'hé'], ['ITCH', 'me']) },
  ],
  [{ sampleRate: 96_000, channels: 2, layout: 'stereo' }, { bitDepth: '32f' }],
  [
    { sampleRate: 8000, channels: 1, layout: 'mono' },
    { bitDepth: '16', tags: tagged(['track', '3/4'], ['artist', 'x']) },
  ],
  [{ sampleRate: 48_000, channels: 6, layout: '5.1(side)' }, { bitDepth: '24' }],
  [{ sampleRate: 22_050, channels: 8, layout: '7.1' }, { bitDepth: '16' }],
  [{ sampleRate: 48_000, channels: 10, layout: '10 channels' }, { bitDepth: '32f' }],
  [
    { sampleRate: 48_000, channels: 2, layout: 'stereo' },
    {
      bitDepth: '16',
      tags: tagged(['title', 'a']),
      chapters: [
        { startSeconds: 0, endSeconds: 0.1, title: 'eins' },
        { startSeconds: 0.1, endSeconds: 0.2, title: 'zwei' },
      ],
    },
  ],
];

describe('WAV in a tab', () => {
  it.each(kinds)('is written byte for byte as by FFmpeg: %o, %o', (format, options) => {
    const planes = noise(format.channels, Math.round(format.sampleRate / 4) + 1, 1);
    const [node, tab] = [
      written(nodeEncode as never, 'node.wav', format, planes, options),
      written(tabEncode, 'tab.wav', format, planes, options),
    ];
    expect(tab.bytes.equals(node.bytes)).toBe(true);
    expect({ ...tab, path: '', bytes: '' }).toEqual({ ...node, path: '', bytes: '' });
    const facts = nodeProbe.probe(node.path);
    expect(tabProbe.probe(node.path)).toEqual(facts);
    for (const choice of [
      {},
      { from: 0.05, to: 0.11 },
      { channels: 1 },
      { channels: 2 },
      { channels: 1, fitting: true },
    ])
      expect(heard(tabDecode.openAudio, facts, choice)).toEqual(heard(nodeDecode.openAudio, facts, choice));
  });

  it.each(['pcm_u8', 'pcm_s32le', 'pcm_f64le'])('is read as by FFmpeg with samples of the form %s', (codec) => {
    const path = join(folder, `${codec}.wav`);
    const sine = ['-f', 'lavfi', '-i', 'sine=f=440:r=44100:d=0.5,volume=0.7'];
    execFileSync('ffmpeg', ['-v', 'error', '-y', ...sine, '-ac', '2', '-c:a', codec, path]);
    const facts = nodeProbe.probe(path);
    expect(tabProbe.probe(path)).toEqual(facts);
    expect(heard(tabDecode.openAudio, facts, {})).toEqual(heard(nodeDecode.openAudio, facts, {}));
  });

  it('says of a cut file what Node says of it', () => {
    const format = { sampleRate: 48_000, channels: 2, layout: 'stereo' };
    const { path, bytes } = written(tabEncode, 'cut.wav', format, noise(2, 48_000, 2), {});
    truncateSync(path, bytes.length / 2);
    const facts = nodeProbe.probe(path);
    const [node, tab] = [nodeDecode, tabDecode].map(({ openAudio }) => heard(openAudio, facts, {}));
    expect(tab).toEqual(node);
    expect(tab).toMatchObject({ warnings: [{ code: 'truncated' }] });
  });
});

describe('the media port', () => {
  it('is all that a tab has in the place of the media layer', () => {
    const places = fileURLToPath(new URL('../../src/browser/in-place-of/library/media', import.meta.url));
    const there = globSync('**/*.ts', { cwd: places }).map((path) => path.replace(/\.ts$/, ''));
    expect(there.toSorted()).toEqual(Object.keys(tabMedia).toSorted());
  });
});
