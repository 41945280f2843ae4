// Cuts a recording by an edited copy of its transcript.
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { textFormats } from '../../contract/text-files.ts';
import { parseTranscript } from '../../contract/parse-transcript.ts';
import type { Transcript } from '../../contract/transcript.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import type { RunStage } from '../../core/progress/stages.ts';
import { writeKeeps } from '../../edit/write-sequence.ts';
import { countFrames } from '../../media/read/length.ts';
import { probe } from '../../media/read/probe.ts';
import { measurePicture, processedLength } from '../../media/read/recording-length.ts';
import { planOutput, plannedFile, stemOf } from '../../media/write/output.ts';
import { extractSpeech, type SpeechSound } from '../../speech/speech-sound.ts';
import { arrange, arrangedTranscript } from '../../speech/text-edit/arrange.ts';
import { readEdited } from '../../speech/text-edit/edited-text.ts';
import { compareTexts, type TextEdit } from '../../speech/text-edit/text-edit.ts';
import { transcribe } from '../../speech/transcribe/transcribe.ts';
import { toTranscriptJson } from '../../speech/transcript/write/json.ts';
import { toSrt, toVtt } from '../../speech/transcript/write/subtitles.ts';
import type { RunOutput, RunResult } from '../declare/run.ts';
import type { CutAudioContext } from './options.ts';
import type { CutAudioResult } from './result.ts';

/** Containers round lengths, and encoders add silence. */
const mostSecondsMore = 1;
/** Passages that a warning shows. */
const mostShown = 5;

export async function cutByText(context: CutAudioContext, edited: string): Promise<RunResult<CutAudioResult>> {
  const { inputs, options, signal, pass, workDir } = context;
  const { path, name } = inputs.file_id;
  const given = inputs.transcript_file_id;
  const cutting = ['measuring', 'cutting'] as const;
  const facts = probe(path);
  const sound = await extractSpeech(facts, workDir, {
    signal,
    onProgress: pass('reading', [
      ...(given === undefined ? (['transcribing', 'placing words'] as const) : []),
      ...cutting,
    ]),
  });
  try {
    const { transcript, recogniser } = await writtenDown(context, sound, cutting);
    const edit = compareTexts(transcript, readEdited(readFileSync(edited), transcript));
    const { keeps, overlapped } = arrange(sound, edit);
    const { pictureEndSeconds } = await measurePicture(facts, signal);
    const { frames } = await countFrames(facts, {
      signal,
      pictureEndSeconds,
      onProgress: pass('measuring', ['cutting']),
    });
    const sampleRate = facts.audio?.sampleRate ?? 0;
    const plan = planOutput(facts, 'same');
    const sequence = {
      sampleRate,
      sourceFrames: frames,
      crossfadeFrames: Math.round((options.crossfade_ms / 1000) * sampleRate),
      keeps: inFrames(keeps, sampleRate, sound.durationSeconds, frames),
    };
    const written = await writeKeeps(facts, plan, sequence, workDir, {
      signal,
      threads: context,
      onProgress: pass('cutting'),
    });
    for (const warning of [...plan.warnings, ...written.warnings]) context.warn(warning);
    warnAbout(context, edit, overlapped);
    const rounded = (frame: number): number => Math.round((frame / sampleRate) * 1e6) / 1e6;
    return {
      outputs: [
        plannedFile(plan, written.path, name, written.durationSeconds),
        ...(await writeTexts(
          arrangedTranscript(
            transcript,
            edit.written,
            sequence.keeps.map(({ start, end }) => ({
              startSeconds: start / sampleRate,
              endSeconds: end / sampleRate,
            })),
          ),
          name,
          workDir,
        )),
      ],
      result: {
        keptRanges: sequence.keeps.map(({ start, end }): [number, number] => [rounded(start), rounded(end)]),
        keptSeconds: rounded(written.frames),
        removedSeconds: rounded(Math.max(0, frames - written.frames)),
        text: {
          recogniser,
          removedWords: edit.removed,
          movedWords: edit.moved,
          changed: edit.changed,
          added: edit.added,
          overlapped,
        },
      },
      processedSeconds: await processedLength(plan, facts, frames / sampleRate, signal),
    };
  } finally {
    sound.close();
  }
}

/** Frames of the recording; what reaches the end of the sound reaches the end of the recording. */
function inFrames(
  keeps: readonly { readonly startSeconds: number; readonly endSeconds: number }[],
  sampleRate: number,
  soundSeconds: number,
  frames: number,
): { start: number; end: number }[] {
  return keeps
    .map(({ startSeconds, endSeconds }) => ({
      start: Math.min(frames, Math.round(startSeconds * sampleRate)),
      end: endSeconds >= soundSeconds ? frames : Math.min(frames, Math.round(endSeconds * sampleRate)),
    }))
    .filter(({ start, end }) => end > start);
}

async function writtenDown(
  context: CutAudioContext,
  sound: SpeechSound,
  after: readonly RunStage[],
): Promise<{ readonly transcript: Transcript; readonly recogniser: string | null }> {
  const { inputs, signal, modelsDir, fanOut, pass } = context;
  if (inputs.transcript_file_id === undefined) {
    const { transcript, recogniser } = await transcribe(sound, {
      language: undefined,
      verbatim: true,
      speakerLabels: false,
      modelsDir,
      fanOut,
      signal,
      pass,
      after,
    });
    return { transcript, recogniser: recogniser.id };
  }
  const transcript = parseTranscript(readFileSync(inputs.transcript_file_id.path, 'utf8'));
  const last = transcript.sentences
    .flatMap(({ words }) => words)
    .reduce((most, { endSeconds }) => Math.max(most, endSeconds), 0);
  if (last > sound.durationSeconds + mostSecondsMore)
    throw new EarshotError(
      'bad_request',
      `Expected the transcript of this recording but received one with words up to ${last.toFixed(1)} s; the ` +
        `recording ends at ${sound.durationSeconds.toFixed(1)} s`,
      {
        nextAction: 'Name the transcript of this recording, or leave it out: the recording is then transcribed.',
        details: { field: 'transcript_file_id', expected: 'a transcript of this recording' },
      },
    );
  return { transcript, recogniser: null };
}

function warnAbout({ warn }: CutAudioContext, { changed, added }: TextEdit, overlapped: readonly string[]): void {
  const shown = (passages: readonly string[]): string =>
    passages
      .slice(0, mostShown)
      .map((passage) => `"${passage.length > 60 ? `${passage.slice(0, 57)}...` : passage}"`)
      .join(', ') + (passages.length > mostShown ? ` and ${passages.length - mostShown} more` : '');
  if (changed.length > 0)
    warn({
      code: 'words_rewritten',
      message:
        'The text writes some words differently; their sound stays: ' +
        shown(changed.map(({ from, to }) => `${from} -> ${to}`)),
    });
  if (added.length > 0)
    warn({
      code: 'words_not_recorded',
      message: `The text has words that are not in the recording; they are left out: ${shown(added)}`,
    });
  if (overlapped.length > 0)
    warn({
      code: 'words_overlapped',
      message: `Some deleted words stay, since others speak at the same time: ${shown(overlapped)}`,
    });
}

const writers = { json: toTranscriptJson, srt: toSrt, vtt: toVtt };

/** The transcript of the result, and its captions. */
function writeTexts(transcript: Transcript, name: string, folder: string): Promise<RunOutput[]> {
  return Promise.all(
    (['json', 'srt', 'vtt'] as const).map(async (format) => {
      const path = join(folder, `transcript.${format}`);
      await writeFile(path, writers[format](transcript));
      const { contentType } = textFormats[format];
      return { path, filename: `${stemOf(name)}.cut.${format}`, contentType, format, durationSeconds: null };
    }),
  );
}
