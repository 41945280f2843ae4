// HEVC, AV1 and MPEG-2: only what lies at a cut is encoded, and what is around it decodes to the same pictures as
// before.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { openAudio } from '../../../../src/library/media/read/decode.ts';
import { openRemux } from '../../../../src/library/media/write/remux.ts';
import { ffmpeg, ffprobe, needFfmpeg, packetHashes, scratch } from '../../../fixtures/media/media.ts';
import { cut, height, makeNumbered, type NumberedOptions, width } from './numbered.ts';
import { expected, hold, watch } from './watch.ts';
import { slow } from '../../../fixtures/rounds.ts';
import { probe } from '../../../../src/library/media/read/probe.ts';

const at = scratch();
beforeEach(needFfmpeg);

const x265 = (params: string, ...more: string[]): string[] =>
  ['-c:v libx265 -preset ultrafast -x265-params'.split(' '), `log-level=none:keyint=25:${params}`, more].flat();
// Clean random access with pictures in front of it that lean on the group before: x265's own choice.
const open = 'min-keyint=25:scenecut=0:bframes=3';
const svt = '-c:v libsvtav1 -preset 10 -g 25 -crf 20'.split(' ');
const mpeg2 = '-c:v mpeg2video -q:v 3 -bf 2 -g 15'.split(' ');
const mp2 = '-c:a mp2'.split(' ');

/** On the sources' pictures, away from where rounding of clocks could tip them. */
const keeps = [
  [0.48, 2.12], // begins inside the first group
  [2.4, 2.44], // one picture
  [2.6, 2.8], // no keyframe inside
  [3.32, 4.6], // begins and ends inside groups
].map(([start = 0, end = 0]) => ({ startSeconds: start - 0.018, endSeconds: end - 0.018 }));

interface Case {
  readonly name: string;
  readonly file: string;
  readonly make: Omit<NumberedOptions, 'count'>;
  /** Groups of one second, cut four times: what must be copied at least of 79 pictures. */
  readonly leastCopied: number;
  readonly off?: number;
}

const cases: readonly Case[] = [
  { name: 'HEVC, open groups', file: 'open.mp4', make: { codec: x265(open, '-tag:v', 'hvc1') }, leastCopied: 39 },
  {
    name: 'HEVC, closed groups, sets in the packets, varying rate',
    file: 'closed.mp4',
    make: {
      codec: x265('scenecut=0:open-gop=0:repeat-headers=1', '-tag:v', 'hev1', '-enc_time_base', '1:90000'),
      filter: "settb=1/90000,setpts='(N*0.04+0.005*sin(N))/TB'",
    },
    leastCopied: 39,
  },
  {
    name: 'HEVC, 10 bits, two slices',
    file: 'ten.mkv',
    make: { codec: x265(`${open}:slices=2`), output: ['-pix_fmt', 'yuv420p10le'] },
    leastCopied: 39,
    off: 0.0015,
  },
  { name: 'HEVC, start codes', file: 'open.ts', make: { codec: x265(open) }, leastCopied: 39 },
  { name: 'AV1', file: 'one.mp4', make: { codec: svt }, leastCopied: 39 },
  {
    name: 'AV1, 10 bits',
    file: 'one.mkv',
    make: { codec: svt, output: ['-pix_fmt', 'yuv420p10le'] },
    leastCopied: 39,
    off: 0.0015,
  },
  { name: 'MPEG-2, open groups', file: 'two.ts', make: { codec: mpeg2, audio: mp2 }, leastCopied: 60 },
  {
    name: 'MPEG-2, interlaced',
    file: 'two.mkv',
    make: { codec: [...mpeg2, '-flags', '+ildct+ilme'], audio: mp2 },
    leastCopied: 60,
    off: 0.0015,
  },
  // ffmpeg guesses the times that a programme stream leaves out, by two pictures now and then.
  { name: 'MPEG-2, times left out', file: 'two.mpg', make: { codec: mpeg2, audio: mp2 }, leastCopied: 60, off: 0.09 },
  {
    name: 'MPEG-1',
    file: 'first.mpg',
    make: { codec: ['-c:v', 'mpeg1video', ...mpeg2.slice(2)], audio: mp2 },
    leastCopied: 60,
    off: 0.09,
  },
];

/** Luma of every picture as Debian's ffmpeg decodes it. */
function pictures(path: string): Buffer[] {
  const all = ffmpeg(
    '-noautorotate',
    '-i',
    path,
    '-map',
    '0:v',
    ...'-fps_mode passthrough -pix_fmt gray -f rawvideo -'.split(' '),
  );
  return Array.from({ length: all.length / (width * height) }, (_, n) =>
    all.subarray(n * width * height, (n + 1) * width * height),
  );
}

/** Peak signal to noise, dB. */
function psnr(one: Buffer, other: Buffer): number {
  let sum = 0;
  for (let n = 0; n < one.length; n += 1) sum += ((one[n] as number) - (other[n] as number)) ** 2;
  return 10 * Math.log10((255 * 255 * one.length) / sum);
}

describe('pictures that stay, and are the same', () => {
  it.each(cases)('$name ($file)', slow, async ({ file, make, leastCopied, off = 0.0002 }) => {
    const source = makeNumbered(at(file), { count: 120, ...make });
    const out = at(`cut-${file}`);
    const sink = await cut(source, out, keeps);
    const [before, after] = watch(source, out);
    const wanted = expected(before.seen, keeps);
    hold(after.seen, wanted, off);
    const { copied, encoded } = sink.pictures();
    expect(copied + encoded).toBe(wanted.length);
    expect(copied).toBeGreaterThanOrEqual(leastCopied);
    expect(sink.approach).toBe('copy');
    expect(sink.warnings).toEqual([]);
    const [sources, outputs] = [pictures(source), pictures(out)];
    const likeness = outputs.map((picture, n) => psnr(picture, sources[wanted[n]?.number ?? -1] as Buffer));
    expect(likeness.filter((dB) => dB === Infinity).length).toBeGreaterThanOrEqual(copied);
    expect(Math.min(...likeness)).toBeGreaterThan(32);
  });

  it.each(['open.mp4', 'one.mp4', 'two.ts'])('nothing cut, nothing encoded: %s', async (file) => {
    const make = cases.find((one) => one.file === file)?.make as Case['make'];
    const source = makeNumbered(at(`whole-${file}`), { count: 60, ...make });
    const sink = await cut(source, at(`uncut-${file}`), [{ startSeconds: 0, endSeconds: 2.4 }]);
    expect(sink.pictures()).toEqual({ copied: 60, encoded: 0 });
    expect(packetHashes(at(`uncut-${file}`), 'v')).toEqual(packetHashes(source, 'v'));
  });
});

describe('high dynamic range', () => {
  const display = 'master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1)';
  const colours = '-color_primaries bt2020 -color_trc smpte2084 -colorspace bt2020nc -color_range tv'.split(' ');
  const source = (file: string): string =>
    makeNumbered(at(file), {
      count: 100,
      codec: x265(`${open}:${display}:max-cll=1000,400:hdr10=1:repeat-headers=1`, '-tag:v', 'hvc1', ...colours),
      output: ['-pix_fmt', 'yuv420p10le'],
    });
  const entries = 'frame=key_frame,color_space,color_primaries,color_transfer,pix_fmt:frame_side_data_list';

  it.each([
    ['hdr.mp4', false],
    ['hdr.ts', false],
    ['hdr.mp4', true],
    ['hdr.mkv', true],
  ])('colours, mastering display and light levels stay: %s, all encoded: %s', slow, async (file, encodeAll) => {
    const path = source(file);
    const out = at(`cut-${encodeAll}-${file}`);
    const sink = await cut(path, out, keeps.slice(0, 3), { encodeAll });
    expect(sink.warnings.map(({ code }) => code)).toEqual(encodeAll ? ['picture_reencoded'] : []);
    interface Shown {
      readonly key_frame: number;
      readonly pix_fmt: string;
      readonly side_data_list?: readonly Record<string, unknown>[];
    }
    const shown = (of: string): Shown[] => {
      const said = spawnSync('ffprobe', [
        '-v',
        'error',
        '-select_streams',
        'v',
        '-show_entries',
        entries,
        '-of',
        'json',
        of,
      ]);
      return (JSON.parse(said.stdout.toString()) as { frames: Shown[] }).frames;
    };
    const facts = ({ side_data_list: list = [], ...colour }: Shown): unknown => ({
      colour,
      list: list.filter((one) => /Mastering|light level/u.test(String(one['side_data_type']))),
    });
    const first = shown(path).find((one) => one.key_frame === 1);
    const keys = shown(out).filter((one) => one.key_frame === 1);
    expect(keys.length).toBeGreaterThan(encodeAll ? 0 : 1);
    for (const key of keys) expect(facts(key)).toEqual(facts(first as Shown));
    expect(facts(first as Shown)).toMatchObject({ list: [{ max_luminance: '10000000/10000' }, { max_content: 1000 }] });
    if (file.endsWith('.mp4'))
      expect(ffprobe(out).streams.find((one) => one.codec_name === 'hevc')).toMatchObject({ codec_tag_string: 'hvc1' });
  });
});

/** Puts a box behind `hvcC` of an MP4 whose index is at its end, as far as the boxes around it. */
function withDolbyVision(path: string, target: string): string {
  const data = readFileSync(path);
  const at = data.lastIndexOf('hvcC') - 4;
  const end = at + data.readUInt32BE(at);
  // Profile 8.1, level 3: a base layer that HDR10 players show.
  const box = Buffer.concat([
    Buffer.from([0, 0, 0, 32]),
    Buffer.from('dvvC'),
    Buffer.from([1, 0, 16, 29, 16]),
    Buffer.alloc(19),
  ]);
  for (const name of ['moov', 'trak', 'mdia', 'minf', 'stbl', 'stsd', 'hvc1']) {
    const around = data.lastIndexOf(name, at) - 4;
    data.writeUInt32BE(data.readUInt32BE(around) + box.length, around);
  }
  writeFileSync(target, Buffer.concat([data.subarray(0, end), box, data.subarray(end)]));
  return target;
}

it('Dolby Vision: the configuration stays in MP4', slow, async () => {
  const plain = makeNumbered(at('base.mp4'), {
    count: 100,
    codec: x265(open, '-tag:v', 'hvc1'),
    output: ['-pix_fmt', 'yuv420p10le'],
  });
  const source = withDolbyVision(plain, at('vision.mp4'));
  const configuration = (path: string): unknown =>
    ffprobe(path)
      .streams.find((one) => one.codec_type === 'video')
      ?.side_data_list?.find((one) => /DOVI/u.test(String(one['side_data_type'])));
  expect(configuration(source)).toMatchObject({ dv_profile: 8, dv_level: 3 });
  const out = at('cut-vision.mp4');
  const sink = await cut(source, out, keeps.slice(0, 3));
  expect(sink.warnings).toEqual([]);
  expect(configuration(out)).toEqual(configuration(source));
  const sound = openAudio(probe(source));
  const copy = openRemux(at('sound-vision.mp4'), probe(source), sound.format);
  for (let block = sound.next(); block; block = sound.next()) copy.write(block);
  copy.finish();
  sound.close();
  expect(configuration(at('sound-vision.mp4'))).toEqual(configuration(source));
  const whole = await cut(source, at('whole-vision.mp4'), keeps.slice(0, 3), { encodeAll: true });
  expect(whole.warnings.map(({ code }) => code)).toEqual(['dolby_vision_lost', 'picture_reencoded']);
});
