// What probe and decode say of files that are missing, hostile, damaged or silent.
import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync, copyFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openAudio } from '../../../src/library/media/read/decode.ts';
import type { OutputFormatId } from '../../../src/library/media/formats.ts';
import { probe } from '../../../src/library/media/read/probe.ts';
import { ffmpeg, needFfmpeg, readAll, scratch, thrownBy, writeAll } from '../../fixtures/media/media.ts';
import { amrBytes, wavBytes, writeWav } from '../../fixtures/media/pcm-files.ts';
import { seeded, voice } from '../../fixtures/media/signals.ts';
import { makeVideo } from '../../fixtures/media/videos.ts';
import { slow } from '../../fixtures/rounds.ts';

const at = scratch();
const rate = 44_100;
const plane = voice(2 * rate, rate, 7);
const put = (name: string, content: string | Buffer): string => {
  writeFileSync(at(name), content);
  return at(name);
};
const codeOf = async (path: string): Promise<string> => (await thrownBy(() => probe(path))).code;

describe('files that are no media', () => {
  it('missing file and folder', async () => {
    expect(await codeOf(at('nothing.wav'))).toBe('not_found');
    expect(await codeOf(at('no/such/folder.wav'))).toBe('not_found');
    mkdirSync(at('folder.wav'));
    expect(await codeOf(at('folder.wav'))).toBe('bad_request');
    expect((await thrownBy(() => openAudio(probe(at('nothing.wav'))))).code).toBe('not_found');
  });

  it('empty file, text, random bytes, a picture', async () => {
    expect(await codeOf(put('empty.wav', ''))).toBe('file_invalid');
    expect(await codeOf(put('notes.txt', 'Dear diary, today I heard nothing at all.\n'.repeat(200)))).toBe(
      'unsupported_format',
    );
    expect(await codeOf(put('subtitles.srt', '1\n00:00:00,000 --> 00:00:02,000\nHello\n'))).toBe('unsupported_format');
    expect(
      await codeOf(
        put(
          'picture.png',
          Buffer.from(
            'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
            'base64',
          ),
        ),
      ),
    ).toBe('unsupported_format');
    const random = seeded(11);
    for (let n = 0; n < 5; n += 1) {
      const code = await codeOf(
        put(`random${n}.mp3`, Buffer.from(Array.from({ length: 30_000 }, () => Math.floor(random() * 256)))),
      );
      expect(['unsupported_format', 'file_invalid']).toContain(code);
    }
  });

  it.each([
    'concat:a.wav|b.wav',
    'http:evil.wav',
    'subfile,,start,0,end,100,,:a.wav',
    'data:audio',
    'pipe:0',
    'file:a.wav',
    '%03d.wav',
    '-i',
    'a b?c#d.wav',
    'ümlaut 音.wav',
  ])('a file named "%s" is just a file', async (name) => {
    writeWav(at(name), [plane], rate);
    expect((await probe(at(name))).format).toBe('wav');
    expect(readAll(at(name)).frames).toBe(plane.length);
  });

  it('such a name that is no file is not found, whatever protocol it looks like', async () => {
    writeWav(at('real.wav'), [plane], rate);
    for (const name of [
      `concat:${at('real.wav')}`,
      `subfile,,start,0,end,0,,:${at('real.wav')}`,
      'http://127.0.0.1:9/x.wav',
      'rtmp://127.0.0.1/x',
      `crypto:${at('real.wav')}`,
      `file:${at('real.wav')}`,
      'pipe:0',
      'data:audio/wav;base64,UklGRg==',
    ]) {
      expect(await codeOf(name), name).toBe('not_found');
    }
  });
});

describe('playlists and scripts that name other files', () => {
  const inner = writeWav(at('inner.wav'), [plane], rate);
  const playlists: Record<string, string> = {
    'list.m3u8': `#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXT-X-VERSION:3\n#EXTINF:2.0,\n${inner}\n#EXT-X-ENDLIST\n`,
    'hls-as.mp4': `#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:2.0,\nfile://${inner}\n#EXT-X-ENDLIST\n`,
    'hls-http.m3u8': '#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:2.0,\nhttp://127.0.0.1:9/secret.ts\n#EXT-X-ENDLIST\n',
    'script.ffconcat': `ffconcat version 1.0\nfile '${inner}'\nduration 2\n`,
    'ffconcat-as.wav': `ffconcat version 1.0\nfile '${inner}'\n`,
    'list.mpd':
      '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" ' +
      'mediaPresentationDuration="PT2S" profiles="urn:mpeg:dash:profile:isoff-on-demand:2011"><Period>' +
      '<AdaptationSet mimeType="audio/mp4"><Representation id="1" bandwidth="1000">' +
      `<BaseURL>file://${inner}</BaseURL></Representation></AdaptationSet></Period></MPD>`,
    'session.sdp': 'v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=audio 5004 RTP/AVP 0\n',
    'image.svg': `<svg xmlns="http://www.w3.org/2000/svg"><image href="file://${inner}"/></svg>`,
    'list.imf.xml':
      '<?xml version="1.0"?><CompositionPlaylist ' +
      'xmlns="http://www.smpte-ra.org/schemas/2067-3/2016"></CompositionPlaylist>',
  };
  it.each(Object.keys(playlists))('%s is refused', async (name) => {
    const error = await thrownBy(() => probe(put(name, playlists[name] as string)));
    expect(error.code).toBe('unsupported_format');
    // What stands in the other file must not be told.
    expect(error.message).not.toContain('44100');
    expect(error.message).not.toContain(inner);
    expect((await thrownBy(() => openAudio(probe(at(name))))).code).toBe('unsupported_format');
  });

  it('a symbolic link is followed like any path, a link to nowhere is not found', async () => {
    symlinkSync(inner, at('link.wav'));
    symlinkSync(at('gone.wav'), at('dangling.wav'));
    expect((await probe(at('link.wav'))).format).toBe('wav');
    expect(await codeOf(at('dangling.wav'))).toBe('not_found');
  });
});

describe('damaged files', () => {
  const two = [plane, voice(2 * rate, rate, 8)];
  const whole = (format: OutputFormatId): string => writeAll(at(`whole.${format}`), two, rate, { format }).path;
  const cut = (format: OutputFormatId, share: number): string => {
    const path = at(`cut${share}.${format}`);
    copyFileSync(whole(format), path);
    truncateSync(path, Math.floor(statSync(path).size * share));
    return path;
  };

  it.each(['wav', 'flac', 'mp3', 'ogg', 'opus'] as const)(
    '%s cut at three fifths reads what is there and says so',
    (format) => {
      const sound = readAll(cut(format, 0.6));
      // What is left: about 60 % of the sound; nothing invented.
      expect(sound.frames / sound.format.sampleRate).toBeGreaterThan(0.9);
      expect(sound.frames / sound.format.sampleRate).toBeLessThan(1.6);
      // Ogg writes its length only into its last page, so a cut Ogg file is a whole, shorter one.
      if (format !== 'ogg' && format !== 'opus') expect(sound.warnings.map((one) => one.code)).toContain('truncated');
    },
  );

  it.each(['wav', 'flac', 'mp3', 'm4a', 'ogg', 'opus', 'aiff', 'aac', 'wma'] as const)(
    'a whole %s gives no warning',
    (format) => {
      expect(readAll(whole(format)).warnings).toEqual([]);
    },
  );

  it('m4a cut in its sound (moov in front) reads what is there and says so', () => {
    const sound = readAll(cut('m4a', 0.6));
    expect(sound.frames).toBeGreaterThan(0.4 * plane.length);
    expect(sound.frames).toBeLessThan(0.75 * plane.length);
    expect(sound.warnings.map((one) => one.code)).toContain('truncated');
  });

  it('mp4 without moov', async (context) => {
    needFfmpeg(context);
    const path = makeVideo(at('tail.mp4'), [plane], rate);
    truncateSync(path, Math.floor(statSync(path).size * 0.6));
    expect(await codeOf(path)).toBe('file_invalid');
  });

  it('header only', async () => {
    const code = (await thrownBy(() => readAll(put('header.wav', wavBytes([new Float32Array(0)], rate))))).code;
    expect(code).toBe('file_invalid');
    expect((await thrownBy(() => readAll(put('promise.wav', wavBytes([plane], rate).subarray(0, 44))))).code).toBe(
      'file_invalid',
    );
    expect(['file_invalid', 'unsupported_format']).toContain(
      (await thrownBy(() => readAll(put('riff.wav', Buffer.from('RIFF\0\0\0\0WAVE', 'latin1'))))).code,
    );
    expect((await thrownBy(() => readAll(put('header.flac', readFileSync(whole('flac')).subarray(0, 42))))).code).toBe(
      'file_invalid',
    );
  });

  it('wav whose data size lies', () => {
    const claims = (dataSize: number): ReturnType<typeof readAll> =>
      readAll(put(`lie${dataSize}.wav`, wavBytes([plane], rate, 's16', dataSize)));
    const bytes = plane.length * 2;
    expect(claims(bytes * 10)).toMatchObject({ frames: plane.length, warnings: [{ code: 'truncated' }] });
    // 0 and the largest number are what streaming writers leave: everything is read and nothing is missing.
    expect(claims(0xffff_ffff)).toMatchObject({ frames: plane.length, warnings: [] });
    expect(claims(0)).toMatchObject({ frames: plane.length, warnings: [] });
    // A size in the middle is the truth about the sound: what follows is another chunk.
    expect(claims(bytes / 2)).toMatchObject({ frames: plane.length / 2, warnings: [] });
  });

  it('half a frame at the end of a wav is left out', () => {
    const odd = wavBytes(two, rate);
    expect(readAll(put('odd.wav', odd.subarray(0, odd.length - 3))).frames).toBe(plane.length - 1);
  });

  it('noise in the middle of a file is survived and named or filled', slow, () => {
    const long = [voice(6 * rate, rate, 7), voice(6 * rate, rate, 8)];
    for (const format of ['mp3', 'flac', 'ogg', 'opus', 'm4a'] as const) {
      const { path, format: written } = writeAll(at(`long.${format}`), long, rate, { format });
      const bytes = readFileSync(path);
      const random = seeded(3);
      const from = Math.floor(bytes.length * 0.4);
      for (let i = 0; i < 600; i += 1) bytes[from + i] = Math.floor(random() * 256);
      const sound = readAll(put(`scratched.${format}`, bytes));
      // Ogg and its checksums lose a whole page, which is about a second; then the file says that something is missing.
      const seconds = sound.frames / written.sampleRate;
      expect(seconds, format).toBeGreaterThan(format === 'ogg' || format === 'opus' ? 4.4 : 5.8);
      expect(seconds, format).toBeLessThan(6.1);
      if (seconds < 5.5)
        expect(
          sound.warnings.map((one) => one.code),
          format,
        ).toContain('truncated');
      for (const one of sound.planes)
        expect(
          one.every((x) => Number.isFinite(x)),
          format,
        ).toBe(true);
    }
  });

  it('AMR cut in a frame', () => {
    const sound = readAll(put('cut.amr', amrBytes(50, seeded(4)).subarray(0, 6 + 32 * 30 + 10)));
    expect(sound.frames).toBeGreaterThanOrEqual(30 * 160);
    expect(sound.frames).toBeLessThanOrEqual(31 * 160);
  });
});

it('a video without sound has no audio', async (context) => {
  needFfmpeg(context);
  for (const extension of ['mp4', 'mkv', 'webm']) {
    ffmpeg('-f', 'lavfi', '-i', 'testsrc=s=64x48:d=0.4', '-pix_fmt', 'yuv420p', at(`silent.${extension}`));
    expect(await probe(at(`silent.${extension}`))).toMatchObject({ hasAudio: false, hasVideo: true, audio: null });
    const error = await thrownBy(() => openAudio(probe(at(`silent.${extension}`))));
    expect(error.code).toBe('no_audio');
    expect(error.message).toContain('video without sound');
  }
});

it('from after to is a bad request', async () => {
  const path = writeWav(at('range.wav'), [plane], rate);
  for (const range of [{ from: 2, to: 1 }, { from: -1 }, { from: Number.NaN }, { to: -1 }])
    expect((await thrownBy(() => openAudio(probe(path), range))).code).toBe('bad_request');
});
