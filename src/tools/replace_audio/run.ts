import { setImmediate as turn } from 'node:timers/promises';
import { throwIfAborted } from '../../core/abort.ts';
import { EarshotError } from '../../core/errors.ts';
import { openAudio } from '../../media/read/decode.ts';
import { outputName } from '../../media/write/output.ts';
import { probe } from '../../media/read/probe.ts';
import { openRemux, videoContainerFor } from '../../media/write/remux.ts';
import type { AudioSink } from '../../media/write/encode.ts';
import type { RunResult } from '../declare/run.ts';
import type { ReplaceAudioContext } from './options.ts';

/** Writes silence in pieces of a second, so that ten hours of it cost no more memory than one. */
async function writeSilence(
  context: ReplaceAudioContext,
  sink: AudioSink,
  frames: number,
  sampleRate: number,
  channels: number,
): Promise<void> {
  const planes = Array.from({ length: channels }, () => new Float32Array(sampleRate));
  for (let left = frames; left > 0;) {
    const count = Math.min(left, sampleRate);
    sink.write({
      planes: count === sampleRate ? planes : planes.map((plane) => plane.subarray(0, count)),
      frames: count,
    });
    left -= count;
    await turn();
    throwIfAborted(context.signal);
  }
}

export async function run(context: ReplaceAudioContext): Promise<RunResult> {
  const videoPath = context.inputs.video_file_id;
  const audioPath = context.inputs.audio_file_id;
  const offset = context.options.offset_seconds;
  const video = await probe(videoPath);
  if (!video.video)
    throw new EarshotError(
      'wrong_file_type',
      `Expected a video for video_file_id but received a ${video.format} file without a picture`,
    );
  const pictureSeconds = video.video.durationSeconds ?? video.durationSeconds;
  if (pictureSeconds === null)
    throw new EarshotError(
      'file_invalid',
      'The video does not say how long its picture is, so the sound cannot be fitted to it',
    );

  const source = openAudio(audioPath, { from: Math.max(0, -offset) });
  const { sampleRate, channels } = source.format;
  const container = videoContainerFor(video.format);
  const path = `${context.workDir}/output.${container.extension}`;
  const sink = openRemux(path, videoPath, source.format, { startSeconds: 0 });
  try {
    const total = Math.round(pictureSeconds * sampleRate);
    const lead = Math.min(total, Math.max(0, Math.round(offset * sampleRate)));
    await writeSilence(context, sink, lead, sampleRate, channels);
    let written = lead;
    let heard = 0;
    for (let block = source.next(); block && written < total; block = source.next()) {
      const frames = Math.min(block.frames, total - written);
      sink.write(
        frames === block.frames ? block : { planes: block.planes.map((plane) => plane.subarray(0, frames)), frames },
      );
      written += frames;
      heard += frames;
      context.progress(written / total, 'writing');
      await turn();
      throwIfAborted(context.signal);
    }
    const padding = total - written;
    await writeSilence(context, sink, padding, sampleRate, channels);
    sink.finish();
    for (const warning of [...source.warnings, ...sink.warnings]) context.warn(warning);
    if (heard === 0)
      context.warn({
        code: 'no_overlap',
        message:
          `With an offset of ${offset} s nothing of the new sound falls within the picture's ` +
          `${pictureSeconds.toFixed(2)} s: the output is silent`,
      });
    return {
      outputs: [
        {
          path,
          filename: outputName(videoPath, container.extension),
          contentType: container.contentType,
          format: container.extension,
          durationSeconds: pictureSeconds,
        },
      ],
      result: {
        pictureSeconds,
        soundSeconds: heard / sampleRate,
        silenceBeforeSeconds: lead / sampleRate,
        silenceAfterSeconds: padding / sampleRate,
        sampleRate: sink.format.sampleRate,
        channels: sink.format.channels,
      },
      processedSeconds: pictureSeconds,
    };
  } finally {
    sink.close();
    source.close();
  }
}
