// Draws captions into the pictures of a video, all of which are encoded again.
import { writeFileSync } from 'node:fs';
import type { Warning } from '../../core/progress/progress.ts';
import type { MediaFacts } from '../../media/facts.ts';
import { openAudio } from '../../media/read/decode.ts';
import { drive } from '../../media/read/drive.ts';
import { requireFonts } from '../../core/machine/fonts.ts';
import { captionPainter } from '../../media/video/caption-painter.ts';
import { openVideoEdit } from '../../media/video/video-edit.ts';

/** The size of a video's picture as players show it, pixels. */
export function shownSize({ video }: MediaFacts): { readonly width: number; readonly height: number } {
  const { width = 0, height = 0, rotationDegrees = 0 } = video ?? {};
  return rotationDegrees % 180 === 0 ? { width, height } : { width: height, height: width };
}

export interface DrawOptions {
  readonly signal: AbortSignal;
  /** Gets the share that is done, 0 to 1. */
  onProgress(fraction: number): void;
}

/**
 * @param path of the new video, whose extension is that of its container
 * @param assFile where the captions are written for libass
 * @param ass see `assOf`, for a picture of `shownSize`
 * @throws EarshotError as `openVideoEdit`; tool_unavailable where the machine has no font; AbortError
 */
export async function drawCaptions(
  path: string,
  facts: MediaFacts,
  assFile: string,
  ass: string,
  { signal, onProgress }: DrawOptions,
): Promise<{ readonly seconds: number; readonly warnings: readonly Warning[] }> {
  const { video, audio } = facts;
  requireFonts();
  writeFileSync(assFile, ass);
  const painter = captionPainter(assFile, video?.rotationDegrees ?? 0);
  try {
    const source = openAudio(facts);
    try {
      const kbps =
        audio?.bitsPerSample === null && audio.bitRateBps !== null ? Math.ceil(audio.bitRateBps / 1000) : null;
      const edit = await openVideoEdit(path, facts, source.format, {
        keeps: [{ startSeconds: 0, endSeconds: Number.POSITIVE_INFINITY }],
        mapTime: (seconds) => seconds,
        encodeAll: true,
        painter,
        signal,
        ...(kbps === null ? {} : { bitrateKbps: Math.min(320, Math.max(160, kbps)) }),
      });
      try {
        const frames = await drive(source, [], edit.write, { signal, onProgress });
        await edit.finish();
        const seconds = frames / source.format.sampleRate;
        // That the picture is encoded again is what was asked for.
        const warnings = [...source.warnings, ...edit.warnings].filter(({ code }) => code !== 'picture_reencoded');
        return { seconds, warnings };
      } finally {
        edit.close();
      }
    } finally {
      source.close();
    }
  } finally {
    painter.close();
  }
}
