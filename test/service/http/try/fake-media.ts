// Work on media that takes no time: files are as long as their name says, and a run does what its file's name says.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AbortError } from '../../../../src/library/core/abort.ts';
import { EarshotError } from '../../../../src/library/core/errors/errors.ts';
import type { MediaWork, ToolRunRequest } from '../../../../src/library/contract/media-work.ts';

export interface FakeMedia extends MediaWork {
  readonly runs: ToolRunRequest[];
  /** Milliseconds that every run takes. */
  runMs: number;
  /** What every run reports on its way, one after the other within `runMs`. */
  progress: readonly number[];
  /** The names of files whose check has begun. */
  readonly checks: string[];
  /** Checks wait for this. */
  beforeCheck: Promise<void>;
  /** Runs wait for this, too. */
  beforeRunEnds: (runs: number) => Promise<void>;
}

/**
 * `60s-fail.wav` is a file of 60 s whose run fails, `60s-broken.wav` one that we break on; `bad.wav` is none at all.
 */
export function createFakeMedia(): FakeMedia {
  const media: FakeMedia = {
    runs: [],
    runMs: 0,
    progress: [],
    checks: [],
    beforeCheck: Promise.resolve(),
    beforeRunEnds: () => Promise.resolve(),
    async check(_path, filename) {
      media.checks.push(filename);
      await media.beforeCheck;
      if (filename.startsWith('bad'))
        return { ok: false, error: { code: 'file_invalid', message: `Expected media but ${filename} is none` } };
      if (filename.endsWith('.txt'))
        return {
          ok: true,
          contentType: 'text/plain',
          format: 'txt',
          durationSeconds: null,
          hasVideo: false,
          hasAudio: false,
          media: null,
        };
      return {
        ok: true,
        contentType: 'audio/wav',
        format: 'wav',
        durationSeconds: Number(/^(\d+)s/.exec(filename)?.[1] ?? 20),
        hasVideo: false,
        hasAudio: !filename.includes('silent'),
        media: { codec: 'pcm_s16le', sampleRate: 16_000, channels: 1, width: null, height: null },
      };
    },
    async run(request) {
      const count = media.runs.push(request);
      const [name = ''] = Object.values(request.inputs)
        .flat()
        .map((file) => file.name);
      const pauseMs = media.runMs / (media.progress.length + 1);
      for (const step of [...media.progress, null]) {
        if (pauseMs > 0)
          await sleep(pauseMs, undefined, { signal: request.signal }).catch(() => {
            throw new AbortError();
          });
        if (step !== null) request.onProgress({ progress: step, stage: 'working', estimatedSecondsLeft: null });
      }
      await media.beforeRunEnds(count);
      if (name.includes('broken')) throw new TypeError('the reason, which is for the log');
      if (name.includes('fail')) throw new EarshotError('no_audio', `Expected sound in ${name} but it has none`);
      const whole = Number(/^(\d+)s/.exec(name)?.[1] ?? 20);
      const processedSeconds = Math.min(whole, request.windowSeconds ?? whole);
      if (name.includes('json')) return { outputs: [], result: { lufs: -16 }, processedSeconds, warnings: [] };
      if (request.tool === 'transcribe_audio') {
        const texts = [];
        for (const format of ['json', 'srt', 'vtt', 'txt']) {
          const path = join(request.outputDir, `words.${format}`);
          await writeFile(path, format === 'json' ? '{"sentences":[]}' : `words as ${format}`);
          texts.push({ ...text(format), path, filename: `words.${format}` });
        }
        return { outputs: texts, result: {}, processedSeconds, warnings: [] };
      }
      if (request.options['dry_run'] === true) {
        const lists = [];
        for (const filename of ['words.cuts.json', 'words.json']) {
          const path = join(request.outputDir, filename);
          await writeFile(path, JSON.stringify({ name: filename }));
          lists.push({ ...text('json'), path, filename });
        }
        return { outputs: lists, result: {}, processedSeconds, warnings: [] };
      }
      const outputs = [];
      for (const part of name.includes('several') ? ['1', '2'] : ['1']) {
        const path = join(request.outputDir, `out-${part}.wav`);
        await writeFile(path, `RIFF of ${name}, ${processedSeconds} s`);
        outputs.push({
          path,
          filename: `out-${part}.wav`,
          contentType: 'audio/wav',
          format: 'wav',
          durationSeconds: processedSeconds,
          hasVideo: false,
          hasAudio: true,
          media: null,
        });
      }
      return { outputs, result: {}, processedSeconds, warnings: [] };
    },
    peaks: () => Promise.resolve(null),
    voicePrint: () => Promise.reject(new Error('not part of this test')),
    close: () => Promise.resolve(),
  };
  return media;
}

/** A file of that name, whose bytes nobody looks at. */
export const named = (filename: string, bytes = 1000): File => new File([new Uint8Array(bytes)], filename);

const textTypes: Readonly<Record<string, string>> = { json: 'application/json', vtt: 'text/vtt' };
const text = (format: string) => ({
  contentType: textTypes[format] ?? 'text/plain',
  format,
  durationSeconds: null,
  hasVideo: false,
  hasAudio: false,
  media: null,
});
