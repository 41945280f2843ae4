// What is drawn: the captions of a transcript, or of a file with subtitles as they are.
import { parseTranscript } from '../../contract/parse-transcript.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import { formatClock } from '../../core/readable.ts';
import { decodeText } from '../../speech/transcript/read/decode-text.ts';
import { type Cue, readScript } from '../../speech/transcript/read/script.ts';
import type { Caption } from '../../speech/transcript/write/caption.ts';
import { captionsOf } from '../../speech/transcript/write/captions.ts';
import type { CaptionProfile } from '../../speech/transcript/write/limits.ts';
import { prefixOf } from '../../speech/transcript/write/subtitles.ts';

export interface Drawn {
  /** In order of their start. */
  readonly captions: readonly Caption[];
  /** Are lines divided where they are wider than the picture? */
  readonly wraps: boolean;
}

/**
 * @param content of a transcript's JSON, or of SRT or VTT
 * @throws EarshotError wrong_file_type; bad_request where more captions than a picture holds are shown at a time
 */
export function readCaptions(content: Uint8Array, profile: CaptionProfile): Drawn {
  const text = decodeText(content);
  if (/^\s*\{/.test(text)) {
    const transcript = parseTranscript(text);
    return checked({ captions: captionsOf(transcript, prefixOf(transcript, { profile }), profile), wraps: false });
  }
  const script = readScript(content);
  if (script.format === 'txt')
    throw new EarshotError(
      'wrong_file_type',
      'Expected a transcript as JSON, SRT or VTT but received text without times',
    );
  const captions = script.cues
    .filter(({ startSeconds, endSeconds }) => endSeconds > startSeconds)
    .map(asCaption)
    .toSorted((a, b) => a.startSeconds - b.startSeconds);
  return checked({ captions, wraps: true });
}

const asCaption = ({ startSeconds, endSeconds, lines }: Cue): Caption => ({
  startSeconds,
  endSeconds,
  lines: lines.slice(0, mostLines).map(shortened),
  speaker: null,
});

/** No picture holds more; libass takes its time for each letter of each picture. */
const mostLines = 20;
const mostLetters = 400;
const mostAtOnce = 20;
/** Of all captions of a picture, which takes .4 s with so many, and over 2.4 s with all that 20 captions could have. */
const mostLettersAtOnce = mostLines * mostLetters;

const shortened = (line: string): string => (line.length > mostLetters ? `${line.slice(0, mostLetters - 1)}…` : line);

function checked({ captions, wraps }: Drawn): Drawn {
  let shown: readonly Caption[] = [];
  for (const caption of captions) {
    const { startSeconds } = caption;
    shown = [...shown.filter(({ endSeconds }) => endSeconds > startSeconds), caption];
    const letters = shown.reduce((sum, { lines }) => lines.reduce((own, line) => own + line.length, sum), 0);
    if (shown.length > mostAtOnce || letters > mostLettersAtOnce)
      throw new EarshotError(
        'bad_request',
        `Expected at most ${mostAtOnce} captions and ${mostLettersAtOnce} letters at a time but more are shown at ` +
          formatClock(startSeconds),
        { nextAction: 'Correct the times of the captions.', details: { field: 'captions_file_id' } },
      );
  }
  return { captions, wraps };
}
