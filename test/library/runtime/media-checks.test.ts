// What the service learns of a file before anybody may use it: the check, and its waveform.
import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { descendantsOf } from '../../../src/library/runtime/process/process-tree.ts';
import { peaks as peaksOf } from '../../../src/library/waveform/peaks.ts';
import { needFfmpeg, writeAll } from '../../fixtures/media/media.ts';
import { wavBytes } from '../../fixtures/media/pcm-files.ts';
import { makeAvi, makeVideo } from '../../fixtures/media/videos.ts';
import { rate, speech, useMediaWork } from './media-host.ts';
import { until } from '../../fixtures/until.ts';
import { slow } from '../../fixtures/rounds.ts';

const { root, path, run, check, peaks } = useMediaWork();

/** 16-bit mono silence that takes no room on a disk. */
function writeSilence(file: string, seconds: number): void {
  const bytes = 2 * seconds * rate;
  const header = wavBytes([new Float32Array(0)], rate, 's16', bytes);
  writeFileSync(file, header);
  truncateSync(file, header.length + bytes);
}

describe('a check', () => {
  it('says what a recording is, under any name of its object', async () => {
    expect(await check('object-without-extension', 'talk.wav')).toEqual({
      ok: true,
      contentType: 'audio/wav',
      format: 'wav',
      durationSeconds: 6,
      hasVideo: false,
      hasAudio: true,
      media: {
        codec: 'pcm_s16le',
        sampleRate: rate,
        channels: 1,
        width: null,
        height: null,
        tracks: [{ type: 'audio', codec: 'pcm_s16le', language: null, decodable: true, track: 1 }],
      },
    });
  });

  it('says what a video is, with sound and without', slow, async (context) => {
    await makeAvi(path('film.avi'), [speech], rate);
    expect(await check('film.avi')).toMatchObject({
      ok: true,
      contentType: 'video/x-msvideo',
      format: 'avi',
      hasVideo: true,
      hasAudio: true,
      media: { width: 64, height: 48, sampleRate: rate },
    });
    needFfmpeg(context);
    makeVideo(path('mute.mp4'), [speech], rate, { output: ['-an'] });
    expect(await check('mute.mp4')).toMatchObject({
      ok: true,
      contentType: 'video/mp4',
      hasVideo: true,
      hasAudio: false,
      durationSeconds: 6,
      media: { codec: null, sampleRate: null, channels: null, width: 64 },
    });
  });

  it('measures what the header only guesses', slow, async () => {
    writeAll(path('raw.aac'), [new Float32Array(5 * rate), speech.slice(0, 5 * rate)], rate, { format: 'aac' });
    const checked = await check('raw.aac');
    expect(checked).toMatchObject({ ok: true, format: 'aac', contentType: 'audio/aac' });
    expect(checked.ok ? checked.durationSeconds : 0).toBeCloseTo(5.1, 0);
  });

  it.each([
    ['script.txt', 'Plain words,\n\tin lines: äöü €.', 'text/plain', 'txt'],
    ['script.SRT', '\ufeff1\r\n00:00:01,000 --> 00:00:02,000\r\nHello\r\n', 'application/x-subrip', 'srt'],
    ['script.vtt', 'WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n', 'text/vtt', 'vtt'],
    ['transcript.json', '{"words":[]}', 'application/json', 'json'],
  ])('knows %s as text', async (name, text, contentType, format) => {
    writeFileSync(path(name), text);
    expect(await check(name)).toEqual({
      ok: true,
      contentType,
      format,
      durationSeconds: null,
      hasVideo: false,
      hasAudio: false,
      media: null,
    });
  });

  it('takes the length that can be read, not the one that the header names', async () => {
    writeAll(path('lying.flac'), [speech], rate, { format: 'flac' });
    const bytes = readFileSync(path('lying.flac'));
    // STREAMINFO's 36 bits of samples: one second.
    bytes[21] = (bytes[21] ?? 0) & 0xf0;
    bytes.writeUInt32BE(rate, 22);
    writeFileSync(path('lying.flac'), bytes);
    expect(await check('lying.flac', 'talk.flac')).toMatchObject({ ok: true, durationSeconds: 6 });
    writeAll(path('cut.flac'), [speech], rate, { format: 'flac' });
    const whole = readFileSync(path('cut.flac'));
    writeFileSync(path('cut.flac'), whole.subarray(0, whole.length / 2));
    const cut = await check('cut.flac', 'talk.flac');
    expect(cut.ok && (cut.durationSeconds ?? 0)).toBeGreaterThan(1.5);
    expect(cut.ok && (cut.durationSeconds ?? 9)).toBeLessThan(4.5);
  });

  it('believes content over a name that says text', async () => {
    expect(await check('object-without-extension', 'talk.txt')).toMatchObject({ ok: true, format: 'wav' });
  });

  it.each([
    ['empty.wav', Buffer.alloc(0), 'file_invalid', /empty/],
    [
      'noise.bin',
      Buffer.from(Array.from({ length: 4000 }, (_, at) => (at * 7919) % 251)),
      'unsupported_format',
      /no known format/,
    ],
    ['words.doc', Buffer.from('just words'), 'unsupported_format', /audio or video/],
    ['utf16.srt', Buffer.from('\ufeff1\n00:00:01,000 --> 00:00:02,000\nHello', 'utf16le'), 'file_invalid', /UTF-8/],
    ['broken.json', Buffer.from('{"words":'), 'file_invalid', /JSON/],
    ['long.txt', Buffer.alloc(2_097_153, 'a'), 'file_too_large', /2097152/],
    [
      'picture.png',
      Buffer.from('89504e470d0a1a0a0000000d494844520000000100000001080600000', 'hex'),
      'file_invalid',
      /picture|PNG/i,
    ],
    [
      'cut-off.mp4',
      Buffer.concat([
        Buffer.from('000000206674797069736f6d0000020069736f6d69736f32617663316d703431', 'hex'),
        Buffer.alloc(5000),
      ]),
      'file_invalid',
      /never finished/,
    ],
  ])('refuses %s', async (name, bytes, code, message) => {
    writeFileSync(path(name), bytes);
    const checked = await check(name);
    expect(checked).toMatchObject({ ok: false, error: { code } });
    expect(checked.ok ? '' : checked.error.message).toMatch(message);
  });

  it('is not held up by jobs', slow, async () => {
    // Both places are taken by jobs of hours: they end when they are stopped.
    writeSilence(path('long'), 20 * 3600);
    const controller = new AbortController();
    const busy = [1, 2].map(() =>
      run('remove_noise', { file_id: [['long', 'long.wav']] }, {}, { signal: controller.signal }).catch(
        () => 'aborted',
      ),
    );
    const checked = await check('object-without-extension', 'talk.wav');
    controller.abort();
    expect(checked.ok).toBe(true);
    expect(await Promise.all(busy)).toEqual(['aborted', 'aborted']);
  });
});

describe('peaks', () => {
  it('are written coarsest first, each level where it says', slow, async () => {
    const written = await peaks('object-without-extension', 'peaks.bin');
    const bytes = readFileSync(path('peaks.bin'));
    const expected = await peaksOf(path('object-without-extension'));
    expect(written).toMatchObject({ durationSeconds: 6, peak: expected.peak });
    expect(written?.levels.map(({ perSecond, count }) => [perSecond, count])).toEqual([
      [5, 30],
      [50, 300],
      [500, 3000],
    ]);
    for (const { perSecond, count, offsetBytes } of written?.levels ?? []) {
      const data = expected.levels.find((level) => level.perSecond === perSecond)?.data;
      expect(
        new Int8Array(bytes.buffer.slice(bytes.byteOffset + offsetBytes, bytes.byteOffset + offsetBytes + 2 * count)),
      ).toEqual(data);
    }
    expect(bytes).toHaveLength(2 * 3330);
  });

  it.runIf(existsSync('/proc/self/stat'))('go before jobs, and stand back for checks', slow, async () => {
    /** Niceness of each job process of ours. */
    const nicenesses = (): Set<number> =>
      new Set(
        descendantsOf(process.pid).flatMap((pid) => {
          try {
            const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
            const niceness = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
            return readFileSync(`/proc/${pid}/cmdline`).includes('job-process') ? [niceness] : [];
          } catch {
            return [];
          }
        }),
      );
    // Both go on until they are stopped; a process waits for the next check besides.
    writeSilence(path('drawn'), 20 * 3600);
    const [jobEnd, drawingEnd] = [new AbortController(), new AbortController()];
    const job = run('remove_noise', { file_id: [['drawn', 'a.wav']] }, {}, { signal: jobEnd.signal }).catch(() => null);
    const drawing = peaks('drawn', 'drawn.bin', drawingEnd.signal).catch(() => null);
    await until('all three kinds are there', () => nicenesses().size === 3);
    const [ofCheck, ofDrawing, ofJob] = [...nicenesses()].sort((a, b) => a - b);
    drawingEnd.abort();
    await drawing;
    await until('what drew is gone', () => !nicenesses().has(ofDrawing ?? 0));
    expect(nicenesses()).toEqual(new Set([ofCheck, ofJob]));
    jobEnd.abort();
    await job;
  });

  it('are null where there is no sound to draw', slow, async (context) => {
    needFfmpeg(context);
    makeVideo(path('mute.mp4'), [speech], rate, { output: ['-an'] });
    expect(await peaks('mute.mp4', 'none.bin')).toBeNull();
    expect(readdirSync(root)).not.toContain('none.bin');
  });
});
