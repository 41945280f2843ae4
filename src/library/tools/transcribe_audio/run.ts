import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contentTypes } from '../../core/files/content-types.ts';
import type { Transcript, TranscriptSentence } from '../../contract/transcript.ts';
import { formatClock } from '../../core/readable.ts';
import type { TimeRange } from '../../core/time-range.ts';
import { listenerAtHand } from '../../dsp/listener/listener.ts';
import type { SoundEvent } from '../../speech/transcribe/sound-events.ts';
import { probe } from '../../media/read/probe.ts';
import { outputName, stemOf } from '../../media/write/output.ts';
import { channelTurns } from '../../speech/speakers/channel-turns.ts';
import { speakerPasses } from '../../speech/speakers/find-speakers.ts';
import { extractSpeech, type SpeechSound } from '../../speech/speech-sound.ts';
import { hearSounds } from '../../speech/transcribe/hear-sounds.ts';
import { notUnderstood } from '../../speech/transcribe/not-understood.ts';
import { listeningDeps } from '../../speech/transcribe/listening-deps.ts';
import { namingSpeakers } from './name-speakers.ts';
import { transcribe } from '../../speech/transcribe/transcribe.ts';
import { writeTranscript } from '../../speech/transcript/write/formats.ts';
import type { RunOutput, RunResult } from '../declare/run.ts';
import type { TranscribeAudioContext } from './options.ts';
import { formats, speakerBounds } from './rules.ts';
import type { TranscribeAudioResult } from './result.ts';

export async function run(context: TranscribeAudioContext): Promise<RunResult<TranscribeAudioResult>> {
  const { inputs, options, signal, modelsDir, fanOut } = context;
  const facts = probe(inputs.file_id.path);
  const naming = await namingSpeakers(context);
  const sound = await extractSpeech(facts, context.workDir, {
    signal,
    onProgress: context.pass(
      'reading',
      ['transcribing', 'placing words', ...(options.sound_events ? (['listening'] as const) : [])],
      options.speaker_labels ? speakerPasses : [],
    ),
    warn: (warning) => context.warn(warning),
  });
  try {
    const told = options.speaker_channels ? await channelTurns(facts, { signal, onProgress: () => undefined }) : null;
    for (const warning of told?.warnings ?? []) context.warn(warning);
    const deps = naming.within(
      told === null ? listeningDeps : { ...listeningDeps, findSpeakers: () => Promise.resolve([...told.turns]) },
    );
    const settings = {
      language: options.language,
      verbatim: options.verbatim,
      translate: options.translate,
      vocabulary: options.vocabulary,
      speakerLabels: options.speaker_labels,
      speakers: speakerBounds(options),
      modelsDir,
      finished: context.finished,
      ...(options.sound_events ? { after: ['listening'] as const } : {}),
      fanOut,
      signal,
      pass: context.pass,
      onSentences: (sentences: readonly TranscriptSentence[]) => context.partial({ sentences: [...sentences] }),
    };
    const { transcript: written, recogniser, spoken, numbers } = await transcribe(sound, settings, deps);
    const { language, speakerCount, sentences } = written;
    const { transcript, voices } = naming.named(written, numbers);
    const passages = await notUnderstood(sound, transcript, context);
    if (passages.length > 0) context.warn({ code: 'speech_not_understood', message: notUnderstoodAt(passages) });
    else if (sentences.length === 0)
      context.warn({ code: 'no_speech', message: 'No speech was found: the transcript has no words' });
    const events = await soundEvents(context, sound);
    return {
      outputs: await writeAll(
        { ...transcript, ...(events === undefined ? {} : { events }) },
        inputs.file_id.name,
        context,
      ),
      result: {
        language,
        ...(options.translate ? { translatedFrom: spoken } : {}),
        recogniser,
        speakerCount,
        ...(voices === undefined ? {} : { voices }),
        sentences: sentences.length,
        words: sentences.reduce((sum, { words }) => sum + words.length, 0),
        durationSeconds: sound.durationSeconds,
        ...(events === undefined ? {} : { soundEvents: events.length }),
      },
      processedSeconds: sound.durationSeconds,
    };
  } finally {
    sound.close();
  }
}

/** Most passages in a warning. */
const mostPassages = 8;

function notUnderstoodAt(passages: readonly TimeRange[]): string {
  const named = passages
    .slice(0, mostPassages)
    .map(({ startSeconds, endSeconds }) => `${formatClock(startSeconds)} to ${formatClock(endSeconds)}`);
  const more = passages.length - named.length;
  return (
    `Somebody speaks at ${named.join(', ')}${more > 0 ? ` and in ${more} more passages` : ''}, but no word was ` +
    'understood there. Listen to that, and try a larger recogniser or the recording without its music'
  );
}

/** Writes one file per format, and those of the captions that are asked for. */
function writeAll(
  transcript: Transcript,
  name: string,
  { options: { captions = [], caption_profile: profile, karaoke }, workDir }: TranscribeAudioContext,
): Promise<RunOutput[]> {
  const how = { profile, karaoke, recording: stemOf(name) };
  return Promise.all(
    [...formats, ...new Set(captions)].map(async (format) => {
      const path = join(workDir, `transcript.${format}`);
      await writeFile(path, writeTranscript(transcript, format, how));
      return {
        path,
        filename: outputName(name, format),
        contentType: contentTypes[format],
        format,
        durationSeconds: null,
      };
    }),
  );
}

/** undefined where they were not asked for, or cannot be told. */
async function soundEvents(
  { options, modelsDir, signal, pass, warn }: TranscribeAudioContext,
  sound: SpeechSound,
): Promise<SoundEvent[] | undefined> {
  if (!options.sound_events) return undefined;
  const listener = await listenerAtHand({ modelsDir, warn }, 'only what is said is told');
  return listener === null ? undefined : hearSounds(listener, sound, { signal, onProgress: pass('listening') });
}
