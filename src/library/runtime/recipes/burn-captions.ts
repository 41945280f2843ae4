// Captions drawn into the pictures of a video, for places that show no subtitles.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import type { Transcript } from '../../contract/transcript.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import type { Warning } from '../../core/progress/progress.ts';
import { renameFileSync } from '../../core/files/rename-file.ts';
import { probe } from '../../media/read/probe.ts';
import { videoContainerFor } from '../../media/write/remux.ts';
import { assOf, type AssOptions } from '../../speech/transcript/write/ass.ts';
import { captionsOf } from '../../speech/transcript/write/captions.ts';
import { prefixOf } from '../../speech/transcript/write/subtitles.ts';
import { drawCaptions, shownSize } from '../../tools/burn_captions/draw.ts';

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
  if (facts.video === null || !facts.hasVideo)
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
  const folder = mkdtempSync(join(tmpdir(), 'earshot-captions-'));
  const part = join(dirname(output), `.${basename(output, extname(output))}.${process.pid}.part${extname(output)}`);
  try {
    const shown = captionsOf(transcript, prefixOf(transcript, captions), captions.profile, captions.byHand);
    const ass = assOf(shown, { ...captions, size: shownSize(facts) });
    const { warnings } = await drawCaptions(part, facts, join(folder, 'captions.ass'), ass, {
      signal,
      onProgress,
    });
    renameFileSync(part, output);
    return { warnings };
  } finally {
    rmSync(part, { force: true });
    rmSync(folder, { recursive: true, force: true });
  }
}
