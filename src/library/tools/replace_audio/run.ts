import { EarshotError } from '../../core/errors/errors.ts';
import { openAudio } from '../../media/read/decode.ts';
import { type BlockSource, drive } from '../../media/read/drive.ts';
import { outputName } from '../../media/write/output.ts';
import { readablePictureSeconds } from '../../media/read/readable-length.ts';
import { probe } from '../../media/read/probe.ts';
import { openRemux, videoContainerFor } from '../../media/write/remux.ts';
import type { AudioFormat } from '../../pcm/block.ts';
import type { RunResult } from '../declare/run.ts';
import type { ReplaceAudioContext } from './options.ts';
import type { ReplaceAudioResult } from './result.ts';

/** Silence in blocks of a second, so that memory does not grow with length. */
function silence(format: AudioFormat, expectedFrames: number): BlockSource {
  const planes = Array.from({ length: format.channels }, () => new Float32Array(format.sampleRate));
  let left = expectedFrames;
  return {
    format,
    expectedFrames,
    next() {
      const frames = Math.min(left, format.sampleRate);
      left -= frames;
      return frames === 0 ? null : { planes: planes.map((plane) => plane.subarray(0, frames)), frames };
    },
  };
}

/** A source up to `most` frames. */
function beginning({ format, next }: BlockSource, most: number): BlockSource {
  let left = most;
  return {
    format,
    expectedFrames: most,
    next() {
      const block = left > 0 ? next() : null;
      if (!block) return null;
      const frames = Math.min(block.frames, left);
      left -= frames;
      return frames === block.frames
        ? block
        : { planes: block.planes.map((plane) => plane.subarray(0, frames)), frames };
    },
  };
}

export async function run(context: ReplaceAudioContext): Promise<RunResult<ReplaceAudioResult>> {
  const { path: videoPath, name } = context.inputs.video_file_id;
  const audioPath = context.inputs.audio_file_id.path;
  const offset = context.options.offset_seconds;
  const video = probe(videoPath);
  if (!video.video)
    throw new EarshotError(
      'wrong_file_type',
      `Expected a video for video_file_id but received a ${video.format} file without a picture`,
    );
  // If the container only states the length of its longest stream, that may be the replaced sound.
  const pictureSeconds =
    video.video.durationSeconds ??
    (await readablePictureSeconds(videoPath, { signal: context.signal })) ??
    video.durationSeconds;
  if (pictureSeconds === null)
    throw new EarshotError(
      'file_invalid',
      'Neither the video nor its packets state the length of its picture, so the sound cannot be fitted to it',
    );

  const sound = probe(audioPath);
  const source = openAudio(sound, { from: Math.max(0, -offset) });
  const { sampleRate } = source.format;
  const container = videoContainerFor(video.format);
  const path = `${context.workDir}/output.${container.extension}`;
  const sink = openRemux(path, video, source.format, {
    withPicture: true,
    threads: context,
    expectedSeconds: pictureSeconds,
    besides: [sound],
  });
  try {
    const total = Math.round(pictureSeconds * sampleRate);
    const lead = Math.min(total, Math.max(0, Math.round(offset * sampleRate)));
    const room = total - lead;
    const pass = (onProgress: (fraction: number) => void) => ({ signal: context.signal, onProgress });
    const quietly = pass(() => undefined);
    await drive(silence(source.format, lead), [], sink, quietly);
    const heard = await drive(
      beginning(source, room),
      [],
      sink,
      pass((fraction) => context.progress((lead + fraction * room) / total, 'writing')),
    );
    const padding = room - heard;
    await drive(silence(source.format, padding), [], sink, quietly);
    await sink.finish();
    for (const warning of [...source.warnings, ...sink.warnings]) context.warn(warning);
    if (heard === 0)
      context.warn({
        code: 'no_overlap',
        message:
          `With an offset of ${offset} s the new sound is entirely outside the picture's ` +
          `${pictureSeconds.toFixed(2)} s: the output is silent`,
      });
    return {
      outputs: [
        {
          path,
          filename: outputName(name, container.extension),
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
