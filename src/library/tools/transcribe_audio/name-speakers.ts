// The option `voices`: names in place of numbers, for speakers whose voices are known.
import type { Transcript } from '../../contract/transcript.ts';
import { chosenVoices, everyVoice, isSameName, type VoiceDecision } from '../../contract/voice-print.ts';
import type { ListeningDeps } from '../../speech/transcribe/listening-deps.ts';
import { otherModel } from '../../speech/voices/join-prints.ts';
import { knowVoices } from '../../speech/voices/known-voices.ts';
import type { TranscribeAudioContext } from './options.ts';

interface Naming {
  /** Listens to voices right after speakers were told apart. */
  within(deps: ListeningDeps): ListeningDeps;
  /** The transcript with its names, and what is known of each speaker; undefined: it was not asked for. */
  named(
    transcript: Transcript,
    numbers: ReadonlyMap<number, number>,
  ): { readonly transcript: Transcript; readonly voices?: readonly VoiceDecision[] };
}

/**
 * Makes prints of the run's own references, which name their people without the option.
 * @throws EarshotError bad_request for a name that has no voice, and as `printsOf`; AbortError
 */
export async function namingSpeakers(context: TranscribeAudioContext): Promise<Naming> {
  const { options, voiceReferences = [] } = context;
  if (options.voices === undefined && voiceReferences.length === 0)
    return { within: (deps) => deps, named: (transcript) => ({ transcript }) };
  const asked = options.voices ?? [];
  const known = chosenVoices(asked, context.knownVoices ?? []);
  if (voiceReferences.length > 0) known.push(...(await (await import('./print-references.ts')).printsOf(context)));
  const isAll = asked.some((name) => isSameName(name, everyVoice));
  let decisions: readonly VoiceDecision[] = [];
  return {
    within: (deps) => ({
      ...deps,
      async findSpeakers(sound, options) {
        const turns = await deps.findSpeakers(sound, options);
        const named = await knowVoices(sound, turns, known, {
          ...options,
          onProgress: () => undefined,
          onOtherModel(voices) {
            if (!isAll) throw otherModel();
            context.warn({
              code: 'voices_left_out',
              message: `${voices.length} of ${known.length} voices were left out: their prints are of another network`,
            });
          },
        });
        ({ decisions } = named);
        return named.turns;
      },
    }),
    named(transcript, numbers) {
      const voices = decisions
        .flatMap((decision) => {
          const speaker = numbers.get(decision.speaker);
          return speaker === undefined ? [] : [{ ...decision, speaker }];
        })
        .toSorted((a, b) => a.speaker - b.speaker);
      const names = Object.fromEntries(
        voices.flatMap(({ speaker, name }) => (name === null ? [] : [[String(speaker), name]])),
      );
      return { transcript: Object.keys(names).length === 0 ? transcript : { ...transcript, names }, voices };
    },
  };
}
