// Captions drawn into the pictures of a video, for places that show no subtitles.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import type { Transcript } from '../../contract/transcript.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import type { Warning } from '../../core/progress/progress.ts';
import { renameFileSync } from '../../core/files/rename-file.ts';
import { openAudio } from '../../media/read/decode.ts';
import { drive } from '../../media/read/drive.ts';
import { probe } from '../../media/read/probe.ts';
import { captionPainter } from '../../media/video/caption-painter.ts';
import { openVideoEdit } from '../../media/video/video-edit.ts';
import { videoContainerFor } from '../../media/write/remux.ts';
import { type AssOptions, toAss } from '../../speech/transcript/write/ass.ts';

/** How captions are drawn. */
export interface BurnOptions extends Omit<AssOptions, 'size'> {
  /** Ends the work. Default: nothing does. */
  readonly signal?: AbortSignal;
  /** Gets the share that is done, 0 to 1. Default: it is not told. */
  onProgress?(fraction: number): void;
}

/**
 * Draws a transcript's captions into a video. All pictures are encoded again, and the sound with them; tags, chapters,
 * cover and subtitle tracks are kept.
 * @param output path of the new video, in a folder that is there; a file of that name is replaced when it is complete
 * @throws EarshotError as `probe`; wrong_file_type for a file without a picture; tool_unavailable where the machine has
 *   no font; AbortError
 */
export async function burnCaptions(
  input: string,
  output: string,
  transcript: Transcript,
  { signal = new AbortController().signal, onProgress = () => undefined, ...captions }: BurnOptions = {},
): Promise<{ readonly warnings: readonly Warning[] }> {
  const facts = probe(input);
  const { video, audio } = facts;
  if (video === null || !facts.hasVideo)
    throw new EarshotError(
      'wrong_file_type',
      `Expected a video to draw captions into but ${basename(input)} has no picture`,
    );
  const extension = videoContainerFor(facts.format).extension;
  if (extname(output).toLowerCase() !== `.${extension}`)
    throw new EarshotError(
      'bad_request',
      `Expected a name ending in .${extension} for the video but received ${basename(output)}`,
      {
        nextAction: 'The container does not change: give the new video the extension of the old one.',
      },
    );
  const turned = video.rotationDegrees % 180 !== 0;
  const size = turned ? { width: video.height, height: video.width } : { width: video.width, height: video.height };
  const folder = mkdtempSync(join(tmpdir(), 'earshot-captions-'));
  const part = join(dirname(output), `.${basename(output, extname(output))}.${process.pid}.part${extname(output)}`);
  try {
    const file = join(folder, 'captions.ass');
    const text = toAss(transcript, { ...captions, size });
    writeFileSync(file, text);
    const painter = captionPainter(file, video.rotationDegrees);
    const source = openAudio(facts);
    try {
      const kbps =
        audio?.bitsPerSample === null && audio.bitRateBps !== null ? Math.ceil(audio.bitRateBps / 1000) : null;
      const edit = await openVideoEdit(part, facts, source.format, {
        keeps: [{ startSeconds: 0, endSeconds: Number.POSITIVE_INFINITY }],
        mapTime: (seconds) => seconds,
        encodeAll: true,
        painter,
        signal,
        ...(kbps === null ? {} : { bitrateKbps: Math.min(320, Math.max(160, kbps)) }),
      });
      try {
        await drive(source, [], edit.write, { signal, onProgress });
        await edit.finish();
        const shown = transcript.sentences.length > 0;
        if (shown && !painter.hasDrawn)
          throw new EarshotError(
            'tool_unavailable',
            'The captions could not be drawn: this machine has no font for them',
            {
              nextAction: 'Install a font (Debian: apt-get install fonts-dejavu-core), or name one with --font.',
            },
          );
        renameFileSync(part, output);
        // That the picture is encoded again is what was asked for.
        const warnings = [...source.warnings, ...edit.warnings].filter(({ code }) => code !== 'picture_reencoded');
        return { warnings };
      } finally {
        edit.close();
      }
    } finally {
      source.close();
      painter.close();
    }
  } finally {
    rmSync(part, { force: true });
    rmSync(folder, { recursive: true, force: true });
  }
}
