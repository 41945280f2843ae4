// Videos with new sound: everything but the sound stays what it was, and the sound stays where it was.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openAudio } from '../../../src/library/media/read/decode.ts';
import { probe } from '../../../src/library/media/read/probe.ts';
import { openRemux, videoContainerFor } from '../../../src/library/media/write/remux.ts';
import type { AudioBlock } from '../../../src/library/pcm/block.ts';
import {
  decodeByFfmpeg,
  ffmpeg,
  ffprobe,
  needFfmpeg,
  packetHashes,
  readAll,
  scratch,
  thrownBy,
  type Written,
} from '../../fixtures/media/media.ts';
import { aviPictures, writeWav } from '../../fixtures/media/pcm-files.ts';
import { difference, make, peakFrame, voice } from '../../fixtures/media/signals.ts';
import { makeAvi, makeVideo } from '../../fixtures/media/videos.ts';
import { slow } from '../../fixtures/rounds.ts';

const at = scratch();
const rate = 48_000;
const seconds = 3;
/** A click, wide enough for codecs, at 1.7 s over a soft voice. */
const clickSeconds = 1.7;
const soft = voice(seconds * rate, rate, 5, 0.02);
const click = make(seconds * rate, (i) => soft[i]! + 0.8 * Math.exp(-(((i - clickSeconds * rate) / 40) ** 2)));
const stereo = [click, click];

const films = new Map<string, string>();
/** The film of each container, made once. */
function filmAs(extension: string): string {
  const made = films.get(extension) ?? makeVideo(at(`film.${extension}`), stereo, rate);
  films.set(extension, made);
  return made;
}

/** Packets of the first data track that is no timecode: their times and sums. */
const dataPackets = (path: string): string[] =>
  ffmpeg('-i', path, '-map', '0:d:0', '-c', 'copy', '-f', 'framecrc', '-')
    .toString()
    .split('\n')
    .filter((line) => /^\d/.test(line));

/** Passes a video's sound through `change` into a remuxed copy. */
function remux(
  source: string,
  target: string,
  change: (block: AudioBlock) => AudioBlock = (block) => block,
  withPicture = false,
): Written {
  const facts = probe(source);
  const audio = openAudio(facts);
  const sink = openRemux(target, facts, audio.format, { withPicture });
  try {
    for (let block = audio.next(); block; block = audio.next()) sink.write(change(block));
    sink.finish();
    return { path: target, warnings: [...sink.warnings], format: sink.format, bitrateKbps: sink.bitrateKbps };
  } finally {
    sink.close();
    audio.close();
  }
}

/**
 * Seconds on the picture's clock at which the loudest sample plays, by ffprobe's start time and ffmpeg's decoder. Each
 * file has a name of its own and is read once.
 */
const clickTimes = new Map<string, number>();
function clickAt(path: string): number {
  const known = clickTimes.get(path) ?? readClick(path);
  clickTimes.set(path, known);
  return known;
}

function readClick(path: string): number {
  const streams = ffprobe(path).streams;
  const sound = decodeByFfmpeg(path);
  const video = Number(streams.find((one) => one.codec_type === 'video')?.start_time ?? 0);
  const audio = Number(streams.find((one) => one.codec_type === 'audio')?.start_time ?? 0);
  return peakFrame(sound.planes[0]!) / sound.rate + audio - video;
}

describe('picture packets and the place of the sound', () => {
  it.for(['mp4', 'mov', '3gp', 'mkv', 'webm', 'avi', 'ts', 'mpg', 'flv', 'wmv'])(
    '%s',
    slow,
    async (extension, context) => {
      needFfmpeg(context);
      const source = filmAs(extension);
      const before = await probe(source);
      const target = at(`target.${videoContainerFor(before.format).extension}`);
      const { warnings } = remux(source, target);
      expect(warnings.filter((one) => one.code !== 'bitrate_changed')).toEqual([]);
      const pictures = packetHashes(target, 'v');
      expect(pictures.length).toBeGreaterThanOrEqual(75);
      expect(pictures).toEqual(packetHashes(source, 'v'));
      const after = await probe(target);
      expect(after.format).toBe(before.format);
      expect(after.video).toMatchObject({
        codec: before.video?.codec,
        // H.263 has few sizes.
        ...(extension === '3gp' ? { width: 128, height: 96 } : { width: 64, height: 48 }),
        frameRate: before.video?.frameRate,
      });
      // Within one codec frame (1024 of AAC; 1152 of MP3; 2048 of WMA) of where it was.
      const frame = (extension === 'wmv' ? 2 * 2048 : 1152) / rate;
      expect(
        Math.abs(clickAt(target) - clickAt(source)),
        `click at ${clickAt(target)} after, ${clickAt(source)} before`,
      ).toBeLessThan(frame);
      expect(Math.abs((after.durationSeconds ?? 0) - (before.durationSeconds ?? 0))).toBeLessThan(
        extension === 'wmv' ? 0.15 : 0.1,
      );
    },
  );

  it('an AVI of JPEG pictures, without ffmpeg', async () => {
    const source = await makeAvi(at('jpeg.avi'), stereo, rate);
    remux(source, at('jpeg-out.avi'));
    const [before, after] = [aviPictures(readFileSync(source)), aviPictures(readFileSync(at('jpeg-out.avi')))];
    expect(before).toHaveLength(75);
    // No empty picture chunk ("show the last one again") for the priming of MP3: it would delay the picture by a frame.
    expect(after).toHaveLength(75);
    for (const [n, picture] of before.entries()) expect(after[n]!.equals(picture)).toBe(true);
    const sound = readAll(at('jpeg-out.avi'));
    expect(Math.abs(peakFrame(sound.planes[0]!) / rate - clickSeconds)).toBeLessThan(1152 / rate);
  });

  it.for(['mp4', 'mov', 'mkv', 'webm'])('%s: sample-exact by our own decoder', (extension, context) => {
    needFfmpeg(context);
    const source = filmAs(extension);
    remux(source, at(`exact-out.${extension}`));
    const [before, after] = [readAll(source), readAll(at(`exact-out.${extension}`))];
    expect(Math.abs(peakFrame(after.planes[0]!) - peakFrame(before.planes[0]!))).toBeLessThan(
      extension === 'mkv' || extension === 'webm' ? 50 : 8,
    );
  });

  it.for(['mp4', 'mov', 'mkv', 'webm', 'ts'])('%s: sound that starts late stays late', slow, (extension, context) => {
    needFfmpeg(context);
    const plain = filmAs(extension);
    const source = at(`late.${extension}`);
    ffmpeg('-i', plain, '-itsoffset', '0.5', '-i', plain, '-map', '0:v', '-map', '1:a', '-c', 'copy', source);
    const target = at(`late-out.${extension}`);
    remux(source, target);
    expect(Math.abs(clickAt(source) - clickSeconds - 0.5)).toBeLessThan(0.06);
    expect(
      Math.abs(clickAt(target) - clickAt(source)),
      `${clickAt(target)} after, ${clickAt(source)} before`,
    ).toBeLessThan(1152 / rate);
  });

  it.for(['mkv', 'mp4'])(
    '%s: a track keeps its title, its language and what players do with it',
    slow,
    (kind, context) => {
      needFfmpeg(context);
      const source = at(`named.${kind}`);
      const tags = [
        '-metadata:s:a',
        'title=Director',
        '-metadata:s:a',
        'language=deu',
        '-disposition:a',
        'default+forced+comment',
      ];
      ffmpeg('-i', filmAs(kind), '-c', 'copy', ...tags, '-metadata:s:a', 'handler_name=A handler', source);
      remux(source, at(`named-out.${kind}`));
      const soundOf = (path: string): object => {
        const { tags: own = {}, disposition } = ffprobe(path).streams.find((each) => each.codec_type === 'audio') ?? {};
        const { title, language, handler_name } = own;
        return { title, language, handler_name, disposition };
      };
      expect(soundOf(at(`named-out.${kind}`))).toEqual(soundOf(source));
      if (kind === 'mkv') expect(soundOf(source)).toMatchObject({ title: 'Director', language: 'deu' });
    },
  );

  it.for(['gpmd', 'camm'])('a camera’s data track %s: gpmd is kept, others are named', (kind, context) => {
    needFfmpeg(context);
    const source = at('camera.mov');
    writeFileSync(at('data.srt'), '1\n00:00:00,500 --> 00:00:01,500\nHello\n');
    const inputs = ['-i', filmAs('mov'), '-i', at('data.srt'), '-map', '0', '-map', '1', '-timecode', '10:00:00:00'];
    ffmpeg(...inputs, '-c', 'copy', '-c:s', 'mov_text', source);
    // A camera's measurements, as far as a reader sees.
    const bytes = readFileSync(source);
    const handler = bytes.indexOf('mhlrtext');
    bytes.write('meta', handler + 4, 'latin1');
    bytes.write(kind, bytes.indexOf('text', bytes.indexOf('stsd', handler)), 'latin1');
    writeFileSync(source, bytes);
    const { warnings } = remux(source, at('camera-out.mov'));
    expect(ffprobe(source).streams.map((each) => each.codec_type)).toContain('data');
    const dropped = kind === 'gpmd' ? [] : ['Not in the output: data track (camm)'];
    expect(warnings.map(({ message }) => message)).toEqual(dropped);
    const tags = ffprobe(at('camera-out.mov')).streams.map((each) => each.codec_tag_string);
    expect(tags).toContain('tmcd');
    expect(tags.includes(kind)).toBe(kind === 'gpmd');
    if (kind === 'gpmd') expect(dataPackets(at('camera-out.mov'))).toEqual(dataPackets(source));
  });

  it('withPicture starts the sound where the picture starts', (context) => {
    needFfmpeg(context);
    const source = at('late-picture.mkv');
    ffmpeg(
      '-itsoffset',
      '0.8',
      '-i',
      filmAs('mp4'),
      '-i',
      filmAs('mp4'),
      '-map',
      '0:v',
      '-map',
      '1:a',
      '-c',
      'copy',
      source,
    );
    // On the picture's clock: the click of the old sound was 0.8 s earlier there.
    expect(Math.abs(clickAt(source) - clickSeconds + 0.8)).toBeLessThan(1152 / rate);
    remux(source, at('with-picture.mkv'), undefined, true);
    expect(Math.abs(clickAt(at('with-picture.mkv')) - clickSeconds)).toBeLessThan(1152 / rate);
  });
});

describe('what else is in a video', () => {
  const chapters =
    ';FFMETADATA1\ntitle=A film\nartist=Someone\n' +
    '[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1200\ntitle=Öffnung\n' +
    '[CHAPTER]\nTIMEBASE=1/1000\nSTART=1200\nEND=3000\ntitle=Rest\n';
  const subtitles = '1\n00:00:00,500 --> 00:00:01,500\nHello there\n\n2\n00:00:02,000 --> 00:00:02,900\nÜber alles\n';

  const spoken = (path: string): { seconds: number; text: string }[] =>
    [
      ...ffmpeg('-i', path, '-map', '0:s:0', '-f', 'srt', '-')
        .toString()
        .matchAll(/00:00:(\d\d),(\d\d\d) -->.*\n(.+)/g),
    ].map(([, whole, thousandths, text = '']) => ({ seconds: Number(`${whole}.${thousandths}`), text }));

  it.for([
    ['mp4', 'mov_text'],
    ['mov', 'mov_text'],
    ['mkv', 'subrip'],
    ['webm', 'webvtt'],
  ])('%s: subtitles, chapters, tags, language', async ([extension = '', codec = ''], context) => {
    needFfmpeg(context);
    writeFileSync(at('chapters.txt'), chapters);
    writeFileSync(at('subtitles.srt'), subtitles);
    const film = filmAs(extension);
    const source = at(`rich.${extension}`);
    ffmpeg(
      '-i',
      film,
      '-i',
      at('chapters.txt'),
      '-i',
      at('subtitles.srt'),
      '-map',
      '0',
      '-map',
      '2',
      '-map_metadata',
      '1',
      '-map_chapters',
      '1',
      '-c',
      'copy',
      '-c:s',
      codec,
      '-metadata:s:a:0',
      'language=deu',
      '-metadata:s:s:0',
      'language=eng',
      source,
    );
    const target = at(`rich-out.${extension}`);
    remux(source, target);
    const [before, after] = [ffprobe(source), ffprobe(target)];
    expect(packetHashes(target, 'v')).toEqual(packetHashes(source, 'v'));
    const [said, saidBefore] = [spoken(target), spoken(source)];
    expect(said.map((one) => one.text)).toEqual(saidBefore.map((one) => one.text));
    // Matroska cannot begin below zero: picture, sound and subtitles move together by the priming of AAC, 1024 samples.
    for (const [n, one] of said.entries())
      expect(Math.abs(one.seconds - saidBefore[n]!.seconds)).toBeLessThan(extension === 'mkv' ? 0.023 : 0.002);
    expect(said).toHaveLength(2);
    expect(after.chapters.map((one) => [Number(one.start_time), one.tags?.['title']])).toEqual(
      before.chapters.map((one) => [Number(one.start_time), one.tags?.['title']]),
    );
    expect(after.chapters).toHaveLength(2);
    const tag = (from: typeof after, name: string): string | undefined =>
      Object.entries(from.format.tags ?? {}).find(([key]) => key.toLowerCase() === name)?.[1];
    expect([tag(after, 'title'), tag(after, 'artist')]).toEqual([tag(before, 'title'), tag(before, 'artist')]);
    expect(tag(after, 'title')).toBe('A film');
    const language = (from: typeof after, type: string): string | undefined =>
      from.streams.find((one) => one.codec_type === type)?.tags?.['language'];
    expect(language(after, 'audio')).toBe(language(before, 'audio'));
    expect(language(after, 'subtitle')).toBe('eng');
    expect((await probe(target)).chapters.map((one) => one.title)).toEqual(['Öffnung', 'Rest']);
    expect(existsSync(`${target}.chapters`)).toBe(false);
  });

  it('rotation', slow, async (context) => {
    needFfmpeg(context);
    const plain = filmAs('mp4');
    for (const degrees of [90, 180, 270]) {
      const source = at(`turned-${degrees}.mp4`);
      ffmpeg('-i', plain, '-c', 'copy', '-metadata:s:v', `rotate=${degrees}`, source);
      remux(source, at('turned-out.mp4'));
      const rotation = (path: string): number | undefined =>
        ffprobe(path).streams.find((one) => one.codec_type === 'video')?.side_data_list?.[0]?.rotation;
      expect(rotation(at('turned-out.mp4'))).toBe(rotation(source));
      expect(rotation(source)).toBeTypeOf('number');
      expect((await probe(at('turned-out.mp4'))).video?.rotationDegrees).toBe(
        (await probe(source)).video?.rotationDegrees,
      );
    }
  });

  it('cover art of a video stays', async (context) => {
    needFfmpeg(context);
    const plain = filmAs('mp4');
    ffmpeg('-f', 'lavfi', '-i', 'color=red:s=40x40', '-frames:v', '1', at('cover.jpg'));
    ffmpeg(
      '-i',
      plain,
      '-i',
      at('cover.jpg'),
      '-map',
      '0',
      '-map',
      '1',
      '-c',
      'copy',
      '-disposition:v:1',
      'attached_pic',
      at('covered.mp4'),
    );
    remux(at('covered.mp4'), at('covered-out.mp4'));
    expect((await probe(at('covered-out.mp4'))).cover).toEqual({ codec: 'mjpeg', width: 40, height: 40 });
    expect(packetHashes(at('covered-out.mp4'), 'v:0')).toEqual(packetHashes(at('covered.mp4'), 'v:0'));
  });

  it('B-frames, a late first key frame and an open edit list keep their presentation times', slow, (context) => {
    needFfmpeg(context);
    const source = makeVideo(at('b.mp4'), stereo, rate, {
      output: ['-c:v', 'libx264', '-preset', 'medium', '-bf', '3', '-g', '50'],
    });
    remux(source, at('b-out.mp4'));
    const times = (path: string): string[] =>
      ffmpeg('-i', path, '-map', '0:v', '-f', 'framemd5', '-')
        .toString()
        .split('\n')
        .filter((line) => /^\d/.test(line))
        .map((line) => line.split(',').slice(2).join(','));
    expect(times(at('b-out.mp4'))).toEqual(times(source));
  });

  it('a second sound track is dropped and named', (context) => {
    needFfmpeg(context);
    const sound = writeWav(at('second.wav'), stereo, rate);
    const film = filmAs('mkv');
    ffmpeg('-i', film, '-i', sound, '-map', '0', '-map', '1:a', '-c:v', 'copy', '-c:a', 'flac', at('two.mkv'));
    const { warnings } = remux(at('two.mkv'), at('two-out.mkv'));
    expect(warnings.map((one) => one.code)).toEqual(['other_sound_dropped']);
    expect(
      ffprobe(at('two-out.mkv'))
        .streams.map((one) => one.codec_type)
        .toSorted(),
    ).toEqual(['audio', 'video']);
  });
});

it('the new sound is the one that was written', (context) => {
  needFfmpeg(context);
  const source = filmAs('mp4');
  remux(source, at('quiet-out.mp4'), (block) => ({
    frames: block.frames,
    planes: block.planes.map((plane) => plane.map((x) => x / 4)),
  }));
  const [before, after] = [readAll(source).planes[0]!, readAll(at('quiet-out.mp4')).planes[0]!];
  expect(Math.abs(peakFrame(after) - peakFrame(before))).toBeLessThan(8);
  expect(
    difference(
      after.slice(rate, 2 * rate),
      before.slice(rate, 2 * rate).map((x) => x / 4),
    ),
  ).toBeLessThan(0.02);
});

it('errors: no such source, a path that cannot be written', async (context) => {
  const shape = { sampleRate: rate, channels: 2, layout: 'stereo' };
  expect((await thrownBy(() => openRemux(at('x.mp4'), probe(at('missing.mp4')), shape))).code).toBe('not_found');
  needFfmpeg(context);
  const source = filmAs('mp4');
  expect((await thrownBy(() => openRemux(at('no/folder/x.mp4'), probe(source), shape))).code).toBe('bad_request');
});
