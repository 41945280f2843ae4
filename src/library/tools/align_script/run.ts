import { probe } from '../../media/read/probe.ts';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { textFormats } from '../../contract/text-files.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import { outputName } from '../../media/write/output.ts';
import { type AlignedScript, alignScript } from '../../speech/align/align-script.ts';
import { captionsOfCues, transcriptOf } from '../../speech/align/aligned-transcript.ts';
import { guessLanguage, languagesByLetters } from '../../speech/align/script/guess-language.ts';
import { scriptWords } from '../../speech/align/script/script-words.ts';
import { recognise } from '../../speech/recognise/recognise.ts';
import { extractSpeech, type SpeechSound } from '../../speech/speech-sound.ts';
import type { SpokenWord } from '../../speech/spoken-word.ts';
import { documentKind, readScript, type Script } from '../../speech/transcript/read/script.ts';
import { toTranscriptJson } from '../../speech/transcript/write/json.ts';
import { srtOf, toSrt, toVtt, vttOf } from '../../speech/transcript/write/subtitles.ts';
import type { RunResult } from '../declare/run.ts';
import type { AlignScriptContext } from './options.ts';
import type { AlignScriptResult } from './result.ts';

interface Recognised {
  readonly language: string;
  readonly isLanguageTold: boolean;
  readonly recogniser: { readonly id: string; readonly title: string } | null;
  readonly words: readonly SpokenWord[] | null;
}

export async function run(context: AlignScriptContext): Promise<RunResult<AlignScriptResult>> {
  const { inputs, options, signal, pass, workDir } = context;
  const content = inputs.script_file_id === undefined ? (options.text ?? '') : readFileSync(inputs.script_file_id.path);
  const document = documentKind(content);
  if (document !== null)
    throw new EarshotError('wrong_file_type', `Expected a script as plain text, SRT or VTT but this is ${document}`, {
      nextAction: 'Save it as plain text (.txt), and use that.',
    });
  const script = readScript(content);
  // Word boundaries do not depend on the language here.
  if (scriptWords(script, 'en').words.length === 0)
    throw new EarshotError('bad_request', 'Expected a script with words but it has none', {
      nextAction: 'Put the spoken words into the script, as plain text, SRT or VTT.',
    });
  const sound = await extractSpeech(probe(inputs.file_id.path), workDir, {
    signal,
    onProgress: pass('decoding', ['transcribing', 'aligning']),
    warn: (warning) => context.warn(warning),
  });
  try {
    const heard = await listen(context, sound, script);
    const aligned = await alignScript(sound, script, {
      language: heard.language,
      isLanguageTold: heard.isLanguageTold,
      recognised: heard.words,
      signal,
      onProgress: pass('aligning'),
    });
    const { durationSeconds } = sound;
    const about = { language: heard.language, durationSeconds };
    const transcript = transcriptOf(aligned, about);
    const captions = script.format === 'txt' ? null : captionsOfCues(aligned, about);
    const { words, unmatched } = countsOf(aligned);
    warnAbout(context, heard.words, aligned, durationSeconds);
    const outputs = [
      ['json', toTranscriptJson(transcript)],
      ['srt', captions === null ? toSrt(transcript) : srtOf(captions)],
      ['vtt', captions === null ? toVtt(transcript) : vttOf(captions)],
    ] as const;
    return {
      outputs: outputs.map(([format, text]) => {
        const path = join(workDir, `script.${format}`);
        writeFileSync(path, text);
        return {
          path,
          filename: outputName(inputs.file_id.name, format),
          contentType: textFormats[format].contentType,
          format,
          durationSeconds: null,
        };
      }),
      result: {
        language: heard.language,
        words,
        matchedWords: aligned.matchedDecided ? aligned.words.length - unmatched : null,
        seemsOtherRecording: aligned.isOtherRecording,
        leftOut: aligned.leftOut,
        recogniser: heard.recogniser,
      },
      processedSeconds: durationSeconds,
    };
  } finally {
    sound.close();
  }
}

interface Counts {
  readonly words: number;
  readonly leftOut: number;
  readonly unmatched: number;
}

function countsOf({ words, leftOut: passages }: AlignedScript): Counts {
  const leftOut = passages.reduce((sum, passage) => sum + passage.words, 0);
  const unmatched = words.filter(({ matched }) => !matched).length;
  return { words: words.length + leftOut, leftOut, unmatched };
}

/** What is not as the script has it. @param recognised null without a recogniser */
function warnAbout(
  { warn }: AlignScriptContext,
  recognised: readonly SpokenWord[] | null,
  aligned: AlignedScript,
  durationSeconds: number,
): void {
  const { words, leftOut, unmatched } = countsOf(aligned);
  if (recognised !== null && !aligned.matchedDecided)
    warn({
      code: 'matched_not_decided',
      message:
        'The words of the script are taken as spoken: the recogniser heard ' +
        `${recognised.length === 0 ? 'no words' : `only ${recognised.length} words`} in this recording, too few to ` +
        'check the script',
    });
  if (leftOut > 0 && !aligned.isOtherRecording)
    warn({
      code: 'script_left_out',
      message:
        `${leftOut} of ${words} words of the script were left out: ${Math.round(durationSeconds)} s are too ` +
        'short for all of them, and none of these was heard',
    });
  if (aligned.isReordered)
    warn({
      code: 'script_in_other_order',
      message:
        'Passages of the script are said in another order than they are written in: the words of the result are in ' +
        "the recording's order. Check that this is the script of this version of the recording",
    });
  if (aligned.isOtherRecording)
    warn({
      code: 'script_of_another_recording',
      message:
        `The script seems to be another recording's: none of its ${words} words was found, and what is said here ` +
        `begins "${beginning(recognised ?? [])}". Check that script and recording belong together`,
    });
  else if (aligned.isWithoutSpeech)
    warn({
      code: 'no_speech',
      message:
        `No speech was found: the recording is silent or steady noise, and none of the script's ${words} words is ` +
        'in it',
    });
  else if (unmatched > 0)
    warn({
      code: 'unmatched_words',
      message:
        `${unmatched} of ${aligned.words.length} words of the script were not found in the recording: ` +
        unmatchedPassages(aligned.words),
    });
}

/** Most passages in a warning, and most words of each. */
const mostPassages = 8;
const longestPassage = 60;

/** The first heard words. */
function beginning(words: readonly SpokenWord[]): string {
  const text = words
    .slice(0, 12)
    .map((word) => word.text)
    .join(' ');
  return text.length > longestPassage ? `${text.slice(0, longestPassage - 3)}...` : text;
}

/** Runs of words that were not found, as in the script: "and so my", "ask not"; only the first few. */
function unmatchedPassages(words: readonly { readonly text: string; readonly matched: boolean }[]): string {
  const passages: string[] = [];
  let before = true;
  for (const { text, matched } of words) {
    if (!matched) {
      if (before) passages.push(text);
      else passages.push(`${passages.pop() ?? ''} ${text}`);
    }
    before = matched;
  }
  const named = passages
    .slice(0, mostPassages)
    .map((passage) => `"${passage.length > longestPassage ? `${passage.slice(0, longestPassage - 3)}...` : passage}"`);
  const more = passages.length - named.length;
  return `${named.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}

/** The script is aligned without a recogniser where none is installed. */
async function listen(context: AlignScriptContext, sound: SpeechSound, script: Script): Promise<Recognised> {
  const { modelsDir, fanOut, signal, pass, warn } = context;
  try {
    const { language, isLanguageTold, recogniser, regions } = await recognise(sound, {
      verbatim: true,
      among: languagesByLetters(script) ?? undefined,
      modelsDir,
      fanOut,
      signal,
      onProgress: pass('transcribing', ['aligning']),
    });
    const words: SpokenWord[] = [];
    for await (const region of regions) words.push(...region.words);
    return { language, isLanguageTold, recogniser, words };
  } catch (thrown) {
    if (!(thrown instanceof EarshotError) || thrown.code !== 'tool_unavailable') throw thrown;
    warn({
      code: 'matched_not_decided',
      message: `No recogniser is installed, so every word of the script is taken as spoken: ${thrown.message}`,
    });
    return { language: guessLanguage(script), isLanguageTold: false, recogniser: null, words: null };
  }
}
