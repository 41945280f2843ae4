// What files say beside their sound, read by ffmpeg and in their bytes.
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { probe } from '../../../../src/library/media/read/probe.ts';
import { openFinder } from '../../../../src/library/speech/redact/sought.ts';
import { cleanLabels } from '../../../../src/library/tools/redact_audio/labels.ts';
import { redactedName } from '../../../../src/library/tools/redact_audio/redacted-name.ts';
import { ffmpeg, needFfmpeg, scratch } from '../../../fixtures/media/media.ts';
import { wavBytes } from '../../../fixtures/media/pcm-files.ts';

const at = scratch();
const finder = await openFinder({ words: ['Miller', 'Ann Taylor'], match: 'words', patterns: ['phone'] }, 'en');
const options = { workDir: at(''), signal: new AbortController().signal, onWarning: () => undefined };
const tone = ['-f', 'lavfi', '-i', 'sine=duration=1'];

it.each(['mp3', 'flac', 'm4a', 'ogg', 'mka'])(
  'tags and chapters of %s lose names and numbers',
  async (kind, context) => {
    needFfmpeg(context as never);
    const labels = at('labels.txt');
    writeFileSync(
      labels,
      ';FFMETADATA1\ntitle=A call with Mr. Miller\nartist=Ann Taylor\nalbum=Calls\ncomment=Call back: 555 010 1234\n' +
        '[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=500\ntitle=Miller speaks\n',
    );
    const path = at(`call.${kind}`);
    ffmpeg(...tone, '-i', labels, '-map_metadata', '1', '-map_chapters', '1', path);
    const cleaned = await cleanLabels(path, probe(path), finder, options);
    // FFmpeg writes no chapters into these.
    const chapters = kind === 'flac' || kind === 'ogg' ? 0 : 1;
    expect(cleaned).toMatchObject({ tags: 3, chapters, left: [] });
    const bytes = readFileSync(path).toString('latin1');
    // Of Ogg the tags are those of its stream, which lie in it as text.
    const read = kind === 'ogg' ? bytes : ffmpeg('-i', path, '-f', 'ffmetadata', '-').toString().replaceAll('\\', '');
    expect(read).toMatch(/title=A call with Mr\. \[redacted\]/i);
    expect(read).toMatch(/album=Calls/i);
    if (chapters > 0) expect(read).toMatch(/title=\[redacted\] speaks/);
    expect(bytes).not.toMatch(/miller|taylor|555 010/i);
  },
);

it('texts in chunks of a WAV file are overwritten, and all else stays', async () => {
  const plain = wavBytes([new Float32Array(4800).fill(0.25)], 48_000);
  const xml = '<BWFXML><NOTE>Miller, 555 010 1234</NOTE><SCENE>12</SCENE></BWFXML>';
  const head = Buffer.from('iXML\0\0\0\0', 'latin1');
  head.writeUInt32LE(xml.length, 4);
  const whole = Buffer.concat([plain, head, Buffer.from(xml), Buffer.alloc(xml.length % 2)]);
  whole.writeUInt32LE(whole.length - 8, 4);
  const path = at('field.wav');
  writeFileSync(path, whole);
  expect(await cleanLabels(path, probe(path), finder, options)).toMatchObject({ tags: 1, chapters: 0, left: [] });
  const after = readFileSync(path);
  expect(after.length).toBe(whole.length);
  expect(after.subarray(0, plain.length + 8)).toEqual(whole.subarray(0, plain.length + 8));
  expect(after.subarray(plain.length + 8).toString()).toMatch(
    /^<BWFXML><NOTE>\*{7} \*{3} \*{3} \*{4}<\/NOTE><SCENE>12<\/SCENE>/,
  );
});

it.each(['mkv', 'mp4', 'flac', 'mp3', 'opus'])(
  'of %s nothing that is sought is left in its bytes',
  async (kind, context) => {
    needFfmpeg(context as never);
    const [path, cover, subtitles] = [at(`everywhere.${kind}`), at('cover.jpg'), at('styled.ass')];
    ffmpeg('-f', 'lavfi', '-i', 'testsrc=size=64x64', '-frames:v', '1', '-y', cover);
    writeFileSync(
      subtitles,
      '[Script Info]\nTitle: Talk with Miller\n[V4+ Styles]\nFormat: Name, Fontname\nStyle: Miller,Arial\n' +
        '[Events]\nFormat: Layer, Start, End, Style, Text\nDialogue: 0,0:00:00.00,0:00:01.00,Default,Nothing\n',
    );
    const picture = ['-i', cover, '-map', '0', '-map', '1', '-disposition:v', 'attached_pic', '-c:v', 'copy'];
    const video = ['-f', 'lavfi', '-i', 'testsrc=duration=1:size=64x64', '-i', subtitles, '-map', '0', '-map', '1'];
    const inputs: Readonly<Record<string, readonly string[]>> = {
      mkv: [
        ...video,
        '-map',
        '2',
        '-attach',
        cover,
        '-metadata:s:t',
        'mimetype=image/jpeg',
        '-metadata:s:t',
        'filename=Miller.jpg',
      ],
      mp4: [...video, '-movflags', 'use_metadata_tags', '-metadata:s:a', 'handler_name=mic of Miller'],
      opus: [],
    };
    const labels = [
      'title=A call with Miller',
      'note_miller=Miller',
      'comment=Miller',
      'lyrics=Miller sings',
      'album=Calls',
    ];
    ffmpeg(
      ...tone,
      ...(inputs[kind] ?? [...picture, '-metadata:s:v', 'title=Miller']),
      ...labels.flatMap((label) => ['-metadata', label]),
      '-metadata:s:a',
      'title=mic of Miller',
      path,
    );
    expect((await cleanLabels(path, probe(path), finder, options)).left).toEqual([]);
    const bytes = readFileSync(path).toString('latin1');
    expect(bytes).not.toMatch(/miller/i);
    expect(bytes).toMatch(/\[redacted\]/);
    expect(bytes).toMatch(/Calls/);
  },
);

it('names of files lose what was sought, however it is joined to the rest', async () => {
  const more = await openFinder(
    { words: ['Miller', 'Ann Taylor'], match: 'words', patterns: ['phone', 'email'] },
    'en',
  );
  const names = [
    'call-miller.wav',
    'CallMiller2.wav',
    'john@example.com.wav',
    '2024_ann.taylor.wav',
    '555-010-1234.mp3',
    'call-2.wav',
  ];
  expect(names.map((name) => redactedName(name, more))).toEqual([
    'call-redacted.wav',
    'Call-redacted-2.wav',
    'redacted.wav',
    '2024-redacted.wav',
    'redacted.mp3',
    'call-2.wav',
  ]);
});
