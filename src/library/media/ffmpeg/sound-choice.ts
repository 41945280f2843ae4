// Which of several sound streams of a file is worked on, where the user has chosen one. It is kept by path, since a
// file is opened in many places: what reads it, what copies it, what measures its length.
import { avGetCodecName, type Stream } from 'node-av/lib';
import { AV_DISPOSITION_DEFAULT, type AVDisposition, AVMEDIA_TYPE_AUDIO } from 'node-av/constants';
import { EarshotError } from '../../core/errors/errors.ts';
import { isDecodable } from './decoders.ts';

/** What a user wants of the sound streams of a file. */
export interface SoundChoice {
  /** A number from 1 in the order of the file, or a language (ISO 639); null: the file's own default. */
  readonly track: number | string | null;
  /** Copy the other sound streams into an edited video? */
  readonly keepOthers: boolean;
}

const choices = new Map<string, SoundChoice & { readonly required: boolean }>();

/**
 * Remembers a choice for a path.
 * @param required does the file fail to open without such a stream? A copy of its first seconds may have that one alone
 */
export function chooseSound(path: string, choice: SoundChoice, required = true): void {
  choices.set(path, { ...choice, required });
}

export function forgetSoundChoices(): void {
  choices.clear();
}

/** Are the other sound streams of this file wanted in its edited copy? */
export const keepsOtherSound = (path: string): boolean => choices.get(path)?.keepOthers ?? false;

/** Streams with sound that can be decoded, in the order of the file. */
export const soundStreams = (streams: readonly Stream[]): Stream[] =>
  streams.filter(
    ({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_AUDIO && codecpar.sampleRate > 0 && codecpar.channels > 0,
  );

/** Languages have several codes: "ger", "deu" and "de" are one. */
function canonical(language: string): string {
  try {
    return Intl.getCanonicalLocales(language)[0]?.split('-')[0] ?? language;
  } catch {
    return language.toLowerCase();
  }
}

/** "2 (deu, aac, 2 channels)" */
function described({ metadata, codecpar }: Stream, index: number): string {
  const channels = `${codecpar.channels} ${codecpar.channels === 1 ? 'channel' : 'channels'}`;
  const facts = [metadata?.get('language'), avGetCodecName(codecpar.codecId), channels];
  return `${index + 1} (${facts.filter(Boolean).join(', ')})`;
}

/**
 * Makes the chosen sound stream of an opened file the default one, in memory.
 * @throws EarshotError bad_request where the file has no such stream
 */
export function applySoundChoice(path: string, streams: readonly Stream[]): void {
  const { track: wanted = null, required } = choices.get(path) ?? {};
  const sounds = soundStreams(streams);
  if (wanted === null || sounds.length === 0) return;
  const chosen =
    typeof wanted === 'number'
      ? sounds[wanted - 1]
      : sounds.find((stream) => canonical(stream.metadata?.get('language') ?? 'und') === canonical(wanted));
  if (!chosen && required === false) return;
  if (!chosen)
    throw new EarshotError(
      'bad_request',
      `Expected sound track ${wanted} but the file has ${sounds.length === 1 ? 'only' : `${sounds.length}:`} ` +
        sounds.slice(0, 10).map(described).join(', '),
      { nextAction: 'Choose a track by its number or its language; `earshot probe` lists them.' },
    );
  if (!isDecodable(chosen))
    throw new EarshotError(
      'unsupported_format',
      `Sound track ${described(chosen, sounds.indexOf(chosen))} cannot be decoded`,
      { nextAction: 'Choose another track; `earshot probe` lists them.' },
    );
  for (const stream of sounds)
    stream.disposition = ((stream.disposition & ~AV_DISPOSITION_DEFAULT) |
      (stream === chosen ? AV_DISPOSITION_DEFAULT : 0)) as AVDisposition;
}
