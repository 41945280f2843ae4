// The service's work on media, over real job processes: names, windows, crashes.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Progress } from '../../../../src/library/core/progress/progress.ts';
import { giveName, linkInputs, safeFileName } from '../../../../src/library/runtime/files/named-inputs.ts';
import { descendantsOf } from '../../../../src/library/runtime/process/process-tree.ts';
import { temporaryFolder } from '../../../fixtures/temporary-folder.ts';
import { needFfmpeg, readAll, writeAll } from '../../../fixtures/media/media.ts';
import { writeWav } from '../../../fixtures/media/pcm-files.ts';
import { difference, tone, toneLevelDb, voice } from '../../../fixtures/media/signals.ts';
import { makeAvi, makeVideo } from '../../../fixtures/media/videos.ts';
import { rate, speech, useMediaWork } from '../media-host.ts';
import { rejection } from '../support.ts';
import { until } from '../../../fixtures/until.ts';
import { slow } from '../../../fixtures/rounds.ts';

const { root, path, run, check } = useMediaWork();

const secondsOf = (file: string | undefined): number => {
  const { frames, format } = readAll(file ?? '');
  return frames / format.sampleRate;
};

/** The name of an MP3 that takes long to look at: no header says how long it is. Made once. */
function endless(): string {
  const name = 'endless.mp3';
  if (!existsSync(path(name))) {
    const { path: one } = writeAll(path('two-seconds.mp3'), [voice(96_000, 48_000, 2)], 48_000, {
      format: 'mp3',
      bitrateKbps: 32,
    });
    const bytes = readFileSync(one);
    writeFileSync(path(name), Buffer.concat(Array.from({ length: 18_000 }, () => bytes)));
  }
  return name;
}

describe('a run', () => {
  it('names its output after the name that the person gave, and leaves nothing else', slow, async () => {
    const seen: Progress[] = [];
    const done = await run(
      'convert_audio',
      { file_id: [['object-without-extension', 'Übung №1: intro/outro.wav']] },
      { format: 'flac' },
      { onProgress: (progress) => seen.push(progress) },
    );
    expect(done.outputs).toMatchObject([
      {
        path: join(done.folder, 'Übung №1: intro_outro.convert.flac'),
        filename: 'Übung №1: intro_outro.convert.flac',
        contentType: 'audio/flac',
        format: 'flac',
        durationSeconds: 6,
        hasVideo: false,
        hasAudio: true,
        media: {
          codec: 'flac',
          sampleRate: rate,
          channels: 1,
          width: null,
          height: null,
          tracks: [{ type: 'audio', codec: 'flac', language: null, decodable: true, track: 1 }],
        },
      },
    ]);
    expect(done.processedSeconds).toBe(6);
    expect(readdirSync(done.folder)).toEqual(['Übung №1: intro_outro.convert.flac']);
    expect(seen[0]).toMatchObject({ progress: 0, stage: 'queued' });
    expect(seen.at(-1)).toMatchObject({ progress: 1, stage: 'done' });
  });

  it('works on the sound track of the request', slow, async (context) => {
    needFfmpeg(context);
    const other = ['-f', 'lavfi', '-i', `sine=frequency=2000:sample_rate=${rate}:duration=2`];
    const languages = ['-metadata:s:a:0', 'language=eng', '-metadata:s:a:1', 'language=deu'];
    makeVideo(path('two.mkv'), [tone(2 * rate, rate, 400)], rate, {
      input: other,
      output: ['-map', '2:a', ...languages],
    });
    const files = { file_id: [['two.mkv', 'two.mkv']] } as const;
    const { outputs } = await run('convert_audio', files, { format: 'wav', track: 'de' });
    expect(toneLevelDb(readAll(outputs[0]?.path ?? '').planes[0] as Float32Array, rate, 2000)).toBeGreaterThan(-25);
    const { code, message } = await rejection(run('convert_audio', files, { format: 'wav', track: '3' }));
    expect([code, message]).toEqual([
      'bad_request',
      expect.stringMatching(/^Expected sound track 3 but the file has 2: /),
    ]);
  });

  it('keeps outputs of inputs with the same name apart', slow, async () => {
    const done = await run(
      'level_speakers',
      {
        track_file_ids: [
          ['object-without-extension', 'track.wav'],
          ['object-without-extension', 'track.wav'],
        ],
      },
      {},
    );
    expect(new Set(done.outputs.map(({ path: output }) => output)).size).toBe(2);
    for (const { filename } of done.outputs) expect(filename).toMatch(/^track.*\.wav$/);
  });

  it('fails with the code of the tool, before it works and while it does', slow, async () => {
    expect(
      await rejection(run('cut_audio', { file_id: [['object-without-extension', 'a.wav']] }, { ranges: [[100, 101]] })),
    ).toMatchObject({ code: 'ranges_outside' });
    expect(
      await rejection(
        run(
          'remove_fillers',
          {
            file_id: [['object-without-extension', 'a.wav']],
            transcript_file_id: [['object-without-extension', 'a.json']],
          },
          {},
        ),
      ),
    ).toMatchObject({ code: 'wrong_file_type' });
  });

  it('ends at its signal', slow, async () => {
    const controller = new AbortController();
    let last: string | undefined;
    const promise = rejection(
      run(
        'convert_audio',
        { file_id: [[endless(), 'endless.mp3']] },
        { format: 'wav' },
        {
          signal: controller.signal,
          onProgress: ({ stage }) => {
            last = stage;
            if (stage !== 'queued') controller.abort();
          },
        },
      ),
    );
    expect(await promise).toMatchObject({ name: 'AbortError' });
    expect(last).not.toBe('done');
  });

  it('ends at its own bound of time', async () => {
    const asked = run(
      'convert_audio',
      { file_id: [[endless(), 'endless.mp3']] },
      { format: 'wav' },
      { maxSeconds: 0.1 },
    );
    expect(await rejection(asked)).toMatchObject({
      code: 'limit_exceeded',
      details: { limit: 'maxJobSeconds', expected: 0.1 },
    });
  });
});

describe('a window', () => {
  const whole = [['object-without-extension', 'talk.wav']] as const;

  it('leaves the rest of a recording out', async () => {
    const done = await run('convert_audio', { file_id: whole }, { format: 'wav' }, { windowSeconds: 2.5 });
    expect(done.processedSeconds).toBe(2.5);
    expect(done.outputs[0]?.filename).toBe('talk.convert.wav');
    expect(secondsOf(done.outputs[0]?.path)).toBe(2.5);
    expect(readdirSync(done.folder)).toEqual(['talk.convert.wav']);
  });

  it('that is longer than the recording changes nothing', async () => {
    const done = await run('convert_audio', { file_id: whole }, { format: 'wav' }, { windowSeconds: 180 });
    expect(done.processedSeconds).toBe(6);
    expect(secondsOf(done.outputs[0]?.path)).toBe(6);
  });

  it('of lossy sound ends at a packet, and says what was asked for', async () => {
    writeAll(path('talk-mp3'), [speech], rate, { format: 'mp3' });
    const done = await run(
      'adjust_loudness',
      { file_id: [['talk-mp3', 'talk.mp3']] },
      { output_format: 'wav' },
      { windowSeconds: 2 },
    );
    expect(done.processedSeconds).toBe(2);
    expect(secondsOf(done.outputs[0]?.path)).toBeGreaterThanOrEqual(2);
    expect(secondsOf(done.outputs[0]?.path)).toBeLessThan(2.05);
  });

  it('of a cut shortens the ranges with it', slow, async () => {
    const keep = await run(
      'cut_audio',
      { file_id: whole },
      {
        mode: 'keep',
        ranges: [
          [1, 2],
          [2.5, 5],
          [5.5, 6],
        ],
      },
      { windowSeconds: 3 },
    );
    expect(keep.result['keptRanges']).toEqual([
      [1, 2],
      [2.5, 3],
    ]);
    const remove = await run('cut_audio', { file_id: whole }, { ranges: [[4, 5]] }, { windowSeconds: 3 });
    expect(secondsOf(remove.outputs[0]?.path)).toBe(3);
    // Nothing was left out of this recording, so a range outside of it is one.
    expect(
      await rejection(run('cut_audio', { file_id: whole }, { ranges: [[8, 9]] }, { windowSeconds: 7 })),
    ).toMatchObject({ code: 'ranges_outside' });
  });

  it.each([
    [{ crossfade_ms: 0 }, 4, 4, 1],
    [{ crossfade_ms: 0 }, 8, 8, 2],
    [{ crossfade_ms: 500 }, 8, 8, 2],
    [{ crossfade_ms: 500 }, 12, 12, 3],
    [{ crossfade_ms: 500 }, 60, 17, 3],
    [{ crossfade_ms: 5000 }, 6.5, 6.5, 2],
  ] as const)(
    'of a join with %j is one of the result: %d s asked for, %d s come, of %d files',
    slow,
    async (options, windowSeconds, seconds, files) => {
      const done = await run(
        'join_audio',
        { file_ids: [...whole, ...whole, ...whole] },
        { match_loudness: false, output_format: 'wav', ...options },
        { windowSeconds },
      );
      expect(secondsOf(done.outputs[0]?.path)).toBeCloseTo(seconds, 2);
      expect(done.result['files']).toHaveLength(files);
      expect(done.processedSeconds).toBeLessThanOrEqual(Math.max(windowSeconds, 18));
    },
  );

  it('of a swap takes enough of a sound that is moved forward', slow, async () => {
    await makeAvi(path('film'), [new Float32Array(6 * rate)], rate);
    const late = new Float32Array(6 * rate);
    late.set(tone(rate, rate, 440), 4 * rate);
    writeWav(path('late'), [late], rate);
    const done = await run(
      'replace_audio',
      { video_file_id: [['film', 'film.avi']], audio_file_id: [['late', 'late.wav']] },
      { offset_seconds: -3 },
      { windowSeconds: 3 },
    );
    const { planes, frames, format } = readAll(done.outputs[0]?.path ?? '');
    expect(frames / format.sampleRate).toBeCloseTo(3, 1);
    const heard = (planes[0] as Float32Array).subarray(
      Math.round(1.2 * format.sampleRate),
      Math.round(1.8 * format.sampleRate),
    );
    expect(Math.max(...heard)).toBeGreaterThan(0.3);
  });

  it('of several tracks is one of each', async () => {
    const done = await run(
      'mix_tracks',
      { tracks: [...whole, ...whole] },
      { output_format: 'wav' },
      { windowSeconds: 2 },
    );
    expect(secondsOf(done.outputs[0]?.path)).toBe(2);
  });

  it('of a video cuts the picture, too', slow, async (context) => {
    needFfmpeg(context);
    makeVideo(path('clip.mp4'), [speech], rate);
    const done = await run('adjust_loudness', { file_id: [['clip.mp4', 'clip.mp4']] }, {}, { windowSeconds: 2 });
    const { facts } = readAll(done.outputs[0]?.path ?? '');
    expect(facts).toMatchObject({ format: 'mp4', hasVideo: true });
    expect(facts.durationSeconds).toBeLessThan(2.3);
    expect(secondsOf(done.outputs[0]?.path)).toBeCloseTo(2, 0);
  });

  it('must be longer than nothing', async () => {
    expect(await rejection(run('convert_audio', { file_id: whole }, {}, { windowSeconds: 0 }))).toMatchObject({
      code: 'bad_request',
    });
  });
});

describe('a process that dies', () => {
  const killAll = async (signal: NodeJS.Signals, stage: () => boolean): Promise<void> => {
    await until('it is at work', stage);
    const killed = descendantsOf(process.pid);
    for (const pid of killed) process.kill(pid, signal);
    // An idle one whose end is not known yet would be given the next job.
    await until('their ends are known', () => !descendantsOf(process.pid).some((pid) => killed.includes(pid)));
  };

  it('fails a run with internal_error and crashed', slow, async () => {
    let working = false;
    const promise = rejection(
      run(
        'convert_audio',
        { file_id: [[endless(), 'endless.mp3']] },
        { format: 'wav' },
        { onProgress: ({ stage }) => (working = stage !== 'queued') },
      ),
    );
    await killAll('SIGKILL', () => working);
    expect(await promise).toMatchObject({ code: 'internal_error', details: { crashed: true, signal: 'SIGKILL' } });
  });

  it.each(['SIGSEGV', 'SIGKILL'] as const)(
    '%s in a check says that the file is bad only where a parser broke',
    async (signal) => {
      const outcome = check(endless()).then(
        (checked) => checked,
        (thrown: unknown) => thrown,
      );
      // The spare process took the job; when its work folder is there, it is at work.
      const startedAt = performance.now();
      await killAll(
        signal,
        () => readdirSync(root).some((name) => name.startsWith('.earshot-')) && performance.now() - startedAt > 100,
      );
      if (signal === 'SIGSEGV') expect(await outcome).toMatchObject({ ok: false, error: { code: 'file_invalid' } });
      else expect(await outcome).toMatchObject({ code: 'internal_error', details: { crashed: true } });
      // The next one works.
      expect((await check('object-without-extension', 'talk.wav')).ok).toBe(true);
    },
  );
});

describe('safeFileName', () => {
  it.each([
    ['talk.wav', 'talk.wav'],
    ['../../etc/passwd', '.._.._etc_passwd'],
    ['a\\b/c\u0000d\n.mp3', 'a_b_c_d_.mp3'],
    ['..', 'file'],
    ['   ', 'file'],
    ['u\u0308ber.wav', 'über.wav'],
    [`${'é'.repeat(200)}.flac`, `${'é'.repeat(87)}.flac`],
  ])('%j is %j', (name, safe) => {
    expect(safeFileName(name, 'linux')).toBe(safe);
  });

  it.each([
    ['Talk: part 1?.wav', 'Talk_ part 1_.wav'],
    ['con.wav', 'con_.wav'],
    ['..', 'file'],
    ['talk.wav. ', 'talk.wav'],
    [`${'é'.repeat(200)}:.flac`, `${'é'.repeat(87)}.flac`],
  ])('%j is %j on Windows', (name, safe) => {
    expect(safeFileName(name, 'win32')).toBe(safe);
  });
});

describe('another name for an input', () => {
  const folder = temporaryFolder('earshot-names-');
  const input = join(folder, 'input');
  writeFileSync(input, 'sound');

  it('needs no right on Windows: it is a hard link', async () => {
    symlinkSync('input', join(folder, 'link'));
    await giveName(join(folder, 'link'), join(folder, 'linked.wav'), 'win32');
    expect(lstatSync(join(folder, 'linked.wav'))).toMatchObject({ ino: statSync(input).ino, nlink: 2 });
    await giveName(input, join(folder, 'symbolic.wav'), 'linux');
    expect(lstatSync(join(folder, 'symbolic.wav')).isSymbolicLink()).toBe(true);
  });

  const otherDrive = '/dev/shm';
  const differs = statSync(otherDrive, { throwIfNoEntry: false })?.dev !== statSync(folder).dev;
  it.runIf(existsSync(otherDrive) && differs)('is a copy where it lies on another drive', async () => {
    const elsewhere = mkdtempSync(join(otherDrive, 'earshot-names-'));
    try {
      await giveName(input, join(elsewhere, 'copied.wav'), 'win32');
      expect(readFileSync(join(elsewhere, 'copied.wav'), 'utf8')).toBe('sound');
      expect(lstatSync(join(elsewhere, 'copied.wav'))).toMatchObject({ nlink: 1 });
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
  });
});

describe('an input in the folder of its run', () => {
  const folder = temporaryFolder('earshot-linked-');
  mkdirSync(join(folder, 'in'));
  const object = join(folder, 'object');
  writeFileSync(object, 'sound');
  const named = (name: string) => ({ path: object, name });

  it('has a neutral path, and its name beside it', async () => {
    const inputs = { file_ids: [named('Interview: 1.WAV'), named('Notes'), named('v1.of the second part')] };
    expect(await linkInputs(folder, inputs, 'hard')).toEqual({
      file_ids: [
        { path: join(folder, 'in', '1.WAV'), name: 'Interview: 1.WAV' },
        { path: join(folder, 'in', '2'), name: 'Notes' },
        { path: join(folder, 'in', '3'), name: 'v1.of the second part' },
      ],
    });
    expect(readdirSync(join(folder, 'in')).sort()).toEqual(['1.WAV', '2', '3']);
    expect(statSync(join(folder, 'in', '1.WAV')).ino).toBe(statSync(object).ino);
  });

  it('is read in place by who may, where the extensions agree', async () => {
    const inputs = { video_file_id: [named('Notes')], audio_file_id: [named('talk.mp3')] };
    rmSync(join(folder, 'in'), { recursive: true });
    mkdirSync(join(folder, 'in'));
    expect(await linkInputs(folder, inputs, 'symbolic')).toEqual({
      video_file_id: [named('Notes')],
      audio_file_id: [{ path: join(folder, 'in', '1.mp3'), name: 'talk.mp3' }],
    });
    expect(readdirSync(join(folder, 'in'))).toEqual(['1.mp3']);
  });
});

describe('files of a run', () => {
  it('are the same samples under another name', slow, async () => {
    const done = await run('convert_audio', { file_id: [['object-without-extension', 'same.wav']] }, { format: 'wav' });
    expect(
      difference(
        readAll(done.outputs[0]?.path ?? '').planes[0] as Float32Array,
        readAll(path('object-without-extension')).planes[0] as Float32Array,
      ),
    ).toBe(0);
  });
});
