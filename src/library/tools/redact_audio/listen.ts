// What is said in the recording, and what is said in its redacted copy.
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Transcript } from '../../contract/transcript.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import type { RunStage } from '../../core/progress/stages.ts';
import type { MediaFacts } from '../../media/facts.ts';
import { extractSpeech, type SpeechSound } from '../../speech/speech-sound.ts';
import { refuseOther } from '../../speech/transcribe/other-transcript.ts';
import { transcribe } from '../../speech/transcribe/transcribe.ts';
import type { RedactAudioContext } from './options.ts';

interface Reading {
  readonly transcript: Transcript;
  /** Its id. */
  readonly recogniser: string;
}

type FirstReading = Pick<Reading, 'transcript'> & {
  /** null: the transcript was given. */
  readonly recogniser: string | null;
};

/** @param after the passes that follow */
export async function firstReading(
  context: RedactAudioContext,
  sound: SpeechSound,
  after: readonly RunStage[],
): Promise<FirstReading> {
  const { inputs, options } = context;
  const wantsSpeakers = options.speaker_numbers !== undefined;
  if (inputs.transcript_file_id !== undefined) {
    // Loads the schema of transcripts, which no other job needs.
    const { parseTranscript } = await import('../../contract/parse-transcript.ts');
    const transcript = parseTranscript(await readFile(inputs.transcript_file_id.path, 'utf8'));
    await refuseOther(context, sound, transcript);
    if (wantsSpeakers && transcript.speakerCount === null)
      throw new EarshotError(
        'bad_request',
        'Expected a transcript that tells speakers apart but received one without',
        {
          nextAction: 'Transcribe with speaker_labels, or leave the transcript out.',
          details: { field: 'transcript_file_id' },
        },
      );
    return { transcript, recogniser: null };
  }
  return read(context, sound, options.language, wantsSpeakers, after);
}

async function read(
  { options, modelsDir, fanOut, signal, pass }: RedactAudioContext,
  sound: SpeechSound,
  language: string | undefined,
  speakerLabels: boolean,
  after: readonly RunStage[],
): Promise<Reading> {
  const { transcript, recogniser } = await transcribe(sound, {
    language,
    verbatim: true,
    // The recogniser is told what may be said, so that it spells it so where it hears it.
    vocabulary: options.words,
    speakerLabels,
    modelsDir,
    fanOut,
    signal,
    pass,
    after,
  });
  return { transcript, recogniser: recogniser.id };
}

/**
 * Reads the written file again.
 * @param facts of it
 * @param reading its number
 */
export async function readAgain(
  context: RedactAudioContext,
  facts: MediaFacts,
  language: string,
  reading: number,
): Promise<Reading> {
  const folder = join(context.workDir, `reading-${reading}`);
  mkdirSync(folder);
  const sound = await extractSpeech(facts, folder, {
    signal: context.signal,
    onProgress: context.pass('reading', ['transcribing', 'placing words']),
  });
  try {
    return await read(context, sound, language, false, []);
  } finally {
    sound.close();
  }
}
