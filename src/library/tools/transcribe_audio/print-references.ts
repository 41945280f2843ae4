// Prints of people who are to be named in one run: made of short recordings, gone with the run.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KnownVoice, VoiceReference } from '../../contract/voice-print.ts';
import { isAbortError } from '../../core/abort.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import { probe } from '../../media/read/probe.ts';
import { extractSpeech } from '../../speech/speech-sound.ts';
import { makeVoicePrint } from '../../speech/voices/voice-print.ts';
import type { TranscribeAudioContext } from './options.ts';

/** Length of a reference, as OpenAI's API has it, seconds; encoders add up to some frames. */
const length = { least: 2, most: 10, slack: 0.25 };
/** Speech in it, seconds: as much as makes one piece. */
const leastSpeechSeconds = 1;

/**
 * The prints of the run's references. Nothing of them is left on the disk.
 * @throws EarshotError bad_request for a length other than 2 to 10 s, less than 1 s of speech and several voices;
 *   file_invalid, unsupported_format, no_audio for what is no sound; the message says which one, without its name;
 *   AbortError
 */
export async function printsOf(context: TranscribeAudioContext): Promise<readonly KnownVoice[]> {
  const known: KnownVoice[] = [];
  for (const [at, reference] of (context.voiceReferences ?? []).entries()) {
    const folder = join(context.workDir, `reference-${at + 1}`);
    mkdirSync(folder);
    try {
      known.push(await printOf(reference, folder, context));
    } catch (thrown) {
      throw isAbortError(thrown) ? thrown : ofReference(at + 1, EarshotError.from(thrown));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return known;
}

async function printOf(
  { name, sound: file }: VoiceReference,
  folder: string,
  { signal, modelsDir, fanOut }: TranscribeAudioContext,
): Promise<KnownVoice> {
  const path = join(folder, 'file');
  writeFileSync(path, file, 'base64');
  const facts = probe(path);
  requireLength(facts.durationSeconds ?? length.least);
  const options = { signal, modelsDir, fanOut, onProgress: () => undefined };
  const sound = await extractSpeech(facts, folder, options);
  try {
    requireLength(sound.durationSeconds);
    return {
      name,
      print: await makeVoicePrint(sound, { ...options, workDir: folder, leastSeconds: leastSpeechSeconds }),
    };
  } finally {
    sound.close();
  }
}

function requireLength(seconds: number): void {
  const { least, most, slack } = length;
  if (seconds < least - slack || seconds > most + slack)
    throw new EarshotError(
      'bad_request',
      `Expected ${least} to ${most} s of sound but received ${seconds.toFixed(1)} s`,
    );
}

function ofReference(number: number, { code, message, retryable, details }: EarshotError): EarshotError {
  return new EarshotError(code, `Reference ${number} of a known speaker: ${message}`, {
    retryable,
    nextAction: 'Send 2 to 10 s of sound in which this person speaks alone, without pauses.',
    ...(details === undefined ? {} : { details }),
  });
}
