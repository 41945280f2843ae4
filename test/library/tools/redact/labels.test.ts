// What files say beside their sound, read by ffmpeg and in their bytes.
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { probe } from '../../../../src/library/media/read/probe.ts';
import { openFinder } from '../../../../src/library/speech/redact/sought.ts';
import { cleanLabels } from '../../../../src/library/tools/redact_audio/labels.ts';
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
