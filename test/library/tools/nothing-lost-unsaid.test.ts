// @module-tag slow
// What files hold beside the sound that is worked on, through everything that writes a file: ffprobe and the bytes say
// what is gone, and that has to be what the warnings name, no less and no more.
import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Warning } from '../../../src/library/core/progress/progress.ts';
import { probe } from '../../../src/library/media/read/probe.ts';
import { copyWhole } from '../../../src/library/media/write/copy-whole.ts';
import { planOutput } from '../../../src/library/media/write/output.ts';
import { setChapters } from '../../../src/library/media/write/set-chapters.ts';
import { setTags } from '../../../src/library/media/write/set-tags.ts';
import { adjustLoudness } from '../../../src/library/tools/adjust_loudness/tool.ts';
import { convertAudio } from '../../../src/library/tools/convert_audio/tool.ts';
import { cutAudio } from '../../../src/library/tools/cut_audio/tool.ts';
import { enhanceVoice } from '../../../src/library/tools/enhance_voice/tool.ts';
import { joinAudio } from '../../../src/library/tools/join_audio/tool.ts';
import { levelSpeakers } from '../../../src/library/tools/level_speakers/tool.ts';
import { mixTracks } from '../../../src/library/tools/mix_tracks/tool.ts';
import { removeNoise } from '../../../src/library/tools/remove_noise/tool.ts';
import { removeSilence } from '../../../src/library/tools/remove_silence/tool.ts';
import { replaceAudio } from '../../../src/library/tools/replace_audio/tool.ts';
import { ffmpeg, ffprobe, hasFfmpeg, needFfmpeg, scratch } from '../../fixtures/media/media.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { runTool } from '../../fixtures/media/run-context.ts';
import { voice } from '../../fixtures/media/signals.ts';
import { jpegs, makeVideo } from '../../fixtures/media/videos.ts';

const at = scratch();
const rate = 48_000;
const sound = [voice(2 * rate, rate, 1)];
const { signal } = new AbortController();
const words = { title: 'A title', artist: 'An artist', composer: 'A composer', Zettel: 'A word of our own' };
const metadata = Object.entries(words).flatMap(([name, value]) => ['-metadata', `${name}=${value}`]);

/** With two sounds, subtitles, a track of a camera's measurements and a cover. */
function film(extension: 'mp4' | 'mov'): string {
  const path = at(`film.${extension}`);
  const picture = makeVideo(at(`plain.${extension}`), sound, rate);
  const inputs = [
    '-i',
    picture,
    '-i',
    at('second.wav'),
    '-i',
    at('words.srt'),
    '-i',
    at('words.srt'),
    '-i',
    at('cover.jpg'),
  ];
  const maps = [0, 1, 2, 3, 4].flatMap((input) => ['-map', String(input)]);
  const codecs = ['-c', 'copy', '-c:a:1', 'aac', '-c:s', 'mov_text', '-disposition:v:1', 'attached_pic'];
  const taken =
    extension === 'mov'
      ? [inputs.slice(0, 8), maps.slice(0, 8), codecs.slice(0, 6)].flat()
      : [inputs, maps, codecs].flat();
  ffmpeg(...taken, ...metadata, '-metadata:s:a:1', 'language=deu', '-timecode', '10:00:00:00', path);
  const bytes = readFileSync(path);
  const handler = bytes.lastIndexOf(extension === 'mov' ? 'mhlrtext' : 'sbtl');
  bytes.write('meta', extension === 'mov' ? handler + 4 : handler, 'latin1');
  bytes.write('camm', bytes.indexOf(extension === 'mov' ? 'text' : 'tx3g', bytes.indexOf('stsd', handler)), 'latin1');
  writeFileSync(path, bytes);
  return path;
}

function matroska(): string {
  const path = at('film.mkv');
  const inputs = ['-i', makeVideo(at('plain.mkv'), sound, rate), '-i', at('second.wav'), '-i', at('words.srt')];
  const maps = [0, 1, 2].flatMap((input) => ['-map', String(input)]);
  const attached = [
    '-attach',
    at('cover.jpg'),
    '-metadata:s:t:0',
    'mimetype=image/jpeg',
    '-metadata:s:t:0',
    'filename=cover.jpg',
  ];
  const other = ['-attach', at('words.srt'), '-metadata:s:t:1', 'mimetype=application/x-truetype-font'];
  ffmpeg(...inputs, ...maps, '-c', 'copy', ...attached, ...other, ...metadata, path);
  return path;
}

const u32 = (value: number): Buffer =>
  Buffer.from([value & 255, (value >> 8) & 255, (value >> 16) & 255, value >>> 24]);
const chunk = (id: string, body: Buffer): Buffer => Buffer.concat([Buffer.from(id), u32(body.length), body]);

function broadcast(): string {
  const path = writeWav(at('broadcast.wav'), sound, rate);
  const plain = readFileSync(path);
  const bext = Buffer.alloc(602);
  bext.write('A description', 0);
  bext.write('REF1', 288);
  const xml = Buffer.from('<BWFXML><SCENE>12</SCENE></BWFXML> ');
  const all = [
    plain,
    chunk('bext', bext),
    chunk('iXML', Buffer.concat([xml, Buffer.alloc(xml.length % 2)])),
    chunk('abcd', u32(1)),
  ];
  const bytes = Buffer.concat(all);
  bytes.writeUInt32LE(bytes.length - 8, 4);
  writeFileSync(path, bytes);
  return path;
}

/** With two pictures, and a frame that only ID3 has. */
function tagged(): string {
  ffmpeg(
    '-i',
    at('second.wav'),
    '-i',
    at('cover.jpg'),
    '-map',
    '0',
    '-map',
    '1',
    ...metadata,
    '-id3v2_version',
    '4',
    at('tagged.mp3'),
  );
  const bytes = readFileSync(at('tagged.mp3'));
  const size = (bytes[6]! << 21) + (bytes[7]! << 14) + (bytes[8]! << 7) + bytes[9]!;
  const body = Buffer.from('someone\0\x01\x02', 'latin1');
  const frame = Buffer.concat([Buffer.from('PRIV'), Buffer.from([0, 0, 0, body.length, 0, 0]), body]);
  const longer = size + frame.length;
  const head = Buffer.concat([
    bytes.subarray(0, 6),
    Buffer.from([longer >> 21, (longer >> 14) & 127, (longer >> 7) & 127, longer & 127]),
  ]);
  writeFileSync(at('tagged.mp3'), Buffer.concat([head, frame, bytes.subarray(10)]));
  return at('tagged.mp3');
}

const sources: Record<string, string> = {};
beforeAll(async () => {
  if (!hasFfmpeg) return;
  writeWav(at('second.wav'), sound, rate);
  writeFileSync(at('words.srt'), '1\n00:00:00,200 --> 00:00:01,500\nHello\n');
  writeFileSync(at('cover.jpg'), (await jpegs(1, { width: 24, height: 16 }))[0] as Buffer);
  Object.assign(sources, { mp4: film('mp4'), mov: film('mov'), mkv: matroska(), wav: broadcast(), mp3: tagged() });
}, 60_000);
beforeEach(needFfmpeg);

/** What a file holds, by names that warnings use too. */
function heldIn(path: string): string[] {
  const { streams, format } = ffprobe(path);
  const bytes = readFileSync(path);
  // This ffprobe does not read the ID3 tag of a WAV.
  const texts =
    JSON.stringify([format.tags, streams.map(({ tags }) => tags)]) + (path.endsWith('wav') ? bytes.toString() : '');
  const isShown = streams.some(({ disposition }) => disposition?.['attached_pic'] === 1);
  return [
    ...streams.flatMap(({ codec_type, codec_tag_string, disposition }) =>
      codec_tag_string === 'tmcd' ? [] : [disposition?.['attached_pic'] === 1 ? 'pictures' : (codec_type ?? '')],
    ),
    ...Object.entries(words).flatMap(([name, value]) => (texts.includes(value) ? [name] : [])),
    ...['iXML', 'abcd'].filter((id) => bytes.includes(id)),
    ...(bytes.includes('bext') || texts.includes('REF1') ? ['bext'] : []),
    ...(!isShown && bytes.includes('APIC') ? ['pictures'] : []),
    ...(/timecode|tmcd/u.test(JSON.stringify(streams)) || texts.includes('timecode') ? ['timecode'] : []),
    ...(bytes.includes('someone\0\x01\x02') ? ['PRIV'] : []),
  ].toSorted();
}

function without(all: readonly string[], some: readonly string[]): string[] {
  const left = [...some];
  return all.filter((one) => {
    const place = left.indexOf(one);
    if (place >= 0) left.splice(place, 1);
    return place < 0;
  });
}

const typeOf: Readonly<Record<string, string>> = {
  subtitles: 'subtitle',
  'data track': 'data',
  picture: 'video',
  attachment: 'attachment',
};
/** What the warnings name. */
function named(warnings: readonly Warning[]): string[] {
  return warnings
    .flatMap(({ code, message }) => {
      if (code === 'other_sound_dropped') return ['audio'];
      const list = message
        .replace(/^[^:]*: /u, '')
        .replace(/: \w+ files have no place for them$/u, '')
        .split(', ');
      if (code === 'streams_dropped')
        return message
          .replace('Not in the output: ', '')
          .split(/(?<=\)),? ?/u)
          .map((each) => typeOf[each.split(' (')[0] ?? ''] ?? each);
      return code === 'tags_not_kept' || code === 'chunks_dropped' ? list : [];
    })
    .toSorted();
}

const writers: Record<string, (path: string) => Promise<{ path: string; warnings: readonly Warning[] }>> = {
  ...Object.fromEntries(
    (['mp3', 'wav', 'flac', 'm4a', 'opus'] as const).map((format) => [
      `convert to ${format}`,
      (path: string) => runTool(convertAudio, path, { format }, at('run-')),
    ]),
  ),
  loudness: (path) => runTool(adjustLoudness, path, {}, at('run-')),
  cut: (path) => runTool(cutAudio, path, { ranges: [[0.5, 1]] }, at('run-')),
  'cut of nothing': (path) => runTool(cutAudio, path, { ranges: [[100, 101]] }, at('run-')).catch(() => copied(path)),
  'remove silence': (path) => runTool(removeSilence, path, {}, at('run-')),
  'remove noise': (path) => runTool(removeNoise, path, {}, at('run-')),
  enhance: (path) => runTool(enhanceVoice, path, {}, at('run-')),
  'level speakers': (path) => runTool(levelSpeakers, path, {}, at('run-')),
  join: (path) => runTool(joinAudio, { file_ids: [path, path] }, {}, at('run-')),
  'join with sound': (path) => runTool(joinAudio, { file_ids: [path, at('second.wav')] }, {}, at('run-')),
  mix: (path) => runTool(mixTracks, { tracks: [path, at('second.wav')] }, { output_format: 'flac' }, at('run-')),
  'set tags': async (path) => {
    const warnings: Warning[] = [];
    const target = at(`set-tags-${path.split('/').at(-1)}`);
    await setTags(path, target, { tags: { album: 'X' } }, { signal, onWarning: (one) => warnings.push(one) });
    return { path: target, warnings };
  },
  'set chapters': async (path) => {
    const warnings: Warning[] = [];
    const target = at(`set-chapters-${path.split('/').at(-1)}`);
    const starts = [{ startSeconds: 0, title: 'One' }];
    await setChapters(path, target, starts, { signal, onWarning: (one) => warnings.push(one) });
    return { path: target, warnings };
  },
};

async function copied(path: string): Promise<{ path: string; warnings: readonly Warning[] }> {
  const facts = probe(path);
  const target = at(`copy-${path.split('/').at(-1)}`);
  const warnings = await copyWhole(facts, planOutput(facts, 'same'), target, signal);
  return { path: target, warnings: warnings ?? [] };
}

describe.each(['mp4', 'mov', 'mkv', 'wav', 'mp3'])('from %s', (kind) => {
  it.each(Object.keys(writers))('%s', async (name) => {
    const source = sources[kind] ?? '';
    const run = await (writers[name] as (typeof writers)[string])(source);
    const asksForSound = name.startsWith('convert') || name === 'mix';
    const gone = without(heldIn(source), heldIn(run.path)).filter((one) => !(asksForSound && one === 'video'));
    expect(named(run.warnings).filter((one, index, all) => all.indexOf(one) === index)).toEqual([...new Set(gone)]);
  });
});

it('a video gets the sound of a file with two of them, and a second one of its own is named', async () => {
  const inputs = { video_file_id: [sources['mp4'] ?? ''], audio_file_id: [sources['mkv'] ?? ''] };
  const { path, warnings } = await runTool(replaceAudio, inputs, {}, at('run-'));
  // And a tag that only the sound's file has.
  const gone = ['ZETTEL', ...without(heldIn(sources['mp4'] ?? ''), heldIn(path))];
  expect([...new Set(named(warnings))]).toEqual([...new Set(gone)]);
});
