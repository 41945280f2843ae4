import { badInput, badValue } from '../../../library/core/checks/schema.ts';
import type { JsonObject } from '../../../library/core/json.ts';
import { requireModel } from './models.ts';
import { termsOf } from './terms.ts';
import { pcm16, type SoundForm, soundForms } from './sound-form.ts';
import type { TurnSettings } from './turn-finder.ts';

/** What a client can set; shown as it was given. */
export interface SessionSettings {
  readonly form: SoundForm;
  readonly transcription: Transcription;
  /** null: the client commits each turn. */
  readonly detection: Detection | null;
  /** Taken, and of no effect. */
  readonly noiseReduction: { readonly type: string } | null;
  /** Taken, and of no effect: there are no log probabilities. */
  readonly include: readonly string[] | null;
}

interface Transcription {
  readonly model: string;
  readonly language?: string;
  readonly prompt?: string;
  readonly keywords?: readonly string[];
}

type Detection =
  | {
      readonly type: 'server_vad';
      readonly threshold: number;
      readonly prefix_padding_ms: number;
      readonly silence_duration_ms: number;
    }
  | { readonly type: 'semantic_vad'; readonly eagerness: Eagerness };

const pauses = { low: 2, medium: 1, high: 0.5, auto: 1 } as const;
type Eagerness = keyof typeof pauses;

const usualDetection = {
  type: 'server_vad',
  threshold: 0.5,
  prefix_padding_ms: 300,
  silence_duration_ms: 500,
} as const;

export const usualSettings = (model = 'earshot-transcribe'): SessionSettings => ({
  form: pcm16,
  transcription: { model },
  detection: usualDetection,
  noiseReduction: null,
  include: null,
});

export function turnSettingsOf(detection: Detection): TurnSettings {
  const { threshold, prefix_padding_ms, silence_duration_ms } =
    detection.type === 'semantic_vad'
      ? { ...usualDetection, silence_duration_ms: 1000 * pauses[detection.eagerness] }
      : detection;
  return { threshold, prefixSeconds: prefix_padding_ms / 1000, silenceSeconds: silence_duration_ms / 1000 };
}

/** The options of transcribe_audio. */
export function optionsOf({ language, prompt = '', keywords = [] }: Transcription): JsonObject {
  const vocabulary = [...new Set([...keywords, ...termsOf(prompt)])];
  return {
    verbatim: true,
    speaker_labels: false,
    ...(language === undefined ? {} : { language }),
    ...(vocabulary.length === 0 ? {} : { vocabulary }),
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** An object at a path of the session; undefined: not given. */
function objectAt(value: unknown, path: string): Fields | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw badValue(path, 'an object', value);
  return value as Fields;
}

function choice<Choice extends string>(value: unknown, among: readonly Choice[], path: string): Choice {
  const found = among.find((each) => each === value);
  if (found === undefined) throw badValue(path, `one of ${among.join(', ')}`, value);
  return found;
}

function numberIn(value: unknown, path: string, [least, most]: readonly [number, number], usual: number): number {
  if (value === undefined || value === null) return usual;
  if (typeof value !== 'number' || !(value >= least && value <= most))
    throw badValue(path, `number from ${least} to ${most}`, value);
  return value;
}

const mostLetters = 16_384;
const mostKeywords = 500;
const mostKeywordLetters = 80;

function textAt(value: unknown, path: string): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw badValue(path, 'text', value);
  if (value.length > mostLetters) throw badInput(path, `at most ${mostLetters} letters`, `${value.length}`);
  return value;
}

function transcriptionOf(value: unknown, path: string, model: string): Transcription {
  if (value === null) return { model };
  const given = objectAt(value, path) ?? {};
  const chosen = given['model'] === undefined || given['model'] === null ? model : given['model'];
  requireModel(chosen);
  const language = textAt(given['language'], `${path}.language`);
  if (language !== undefined && !/^[a-z]{2,3}$/.test(language))
    throw badValue(`${path}.language`, 'ISO 639 code such as en', language);
  const prompt = textAt(given['prompt'], `${path}.prompt`);
  const keywords = keywordsOf(given['keywords'], `${path}.keywords`);
  return {
    model: chosen as string,
    ...(language === undefined ? {} : { language }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(keywords === undefined ? {} : { keywords }),
  };
}

function keywordsOf(value: unknown, path: string): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined;
  const isKeyword = (each: unknown): boolean =>
    typeof each === 'string' && each.trim().length >= 2 && each.length <= mostKeywordLetters;
  if (!Array.isArray(value) || value.length > mostKeywords || !value.every(isKeyword))
    throw badInput(path, `at most ${mostKeywords} texts of 2 to ${mostKeywordLetters} letters`, 'something else');
  return value as string[];
}

const detectionRanges = {
  threshold: [0, 1],
  prefix_padding_ms: [0, 5000],
  silence_duration_ms: [50, 10_000],
} as const;

function detectionOf(value: unknown, path: string): Detection | null {
  if (value === null) return null;
  const given = objectAt(value, path) ?? {};
  const type = choice(given['type'] ?? 'server_vad', ['server_vad', 'semantic_vad'], `${path}.type`);
  if (type === 'semantic_vad')
    return {
      type,
      eagerness: choice(given['eagerness'] ?? 'auto', Object.keys(pauses) as Eagerness[], `${path}.eagerness`),
    };
  const number = (name: keyof typeof detectionRanges): number =>
    numberIn(given[name], `${path}.${name}`, detectionRanges[name], usualDetection[name]);
  return {
    type,
    threshold: number('threshold'),
    prefix_padding_ms: number('prefix_padding_ms'),
    silence_duration_ms: number('silence_duration_ms'),
  };
}

function noiseReductionOf(value: unknown, path: string): SessionSettings['noiseReduction'] {
  const given = value === null ? undefined : objectAt(value, path);
  if (given === undefined) return null;
  return { type: choice(given['type'] ?? 'near_field', ['near_field', 'far_field'], `${path}.type`) };
}

function includeOf(value: unknown, path: string): readonly string[] | null {
  if (value === null) return null;
  if (!Array.isArray(value)) throw badValue(path, 'a list', value);
  return value.map((each) => choice(each, ['item.input_audio_transcription.logprobs'], path));
}

/** The settings under their names of both ways to set them. */
interface Names {
  readonly form: (fields: Fields) => SoundForm | undefined;
  readonly transcription: string;
  readonly noise: string;
  readonly path: string;
}

function formOf(value: unknown, path: string): SoundForm | undefined {
  const given = objectAt(value, path);
  if (given === undefined) return undefined;
  const type = choice(
    given['type'] ?? pcm16.type,
    soundForms.map((each) => each.type),
    `${path}.type`,
  );
  const form = soundForms.find((each) => each.type === type) ?? pcm16;
  const { rate } = given;
  if (rate !== undefined && rate !== form.sampleRate) throw badValue(`${path}.rate`, String(form.sampleRate), rate);
  return form;
}

const inInput: Names = {
  form: ({ format }) => formOf(format, 'session.audio.input.format'),
  transcription: 'transcription',
  noise: 'noise_reduction',
  path: 'session.audio.input',
};

const older: Names = {
  form({ input_audio_format: name }) {
    if (name === undefined) return undefined;
    const names = soundForms.map((each) => each.olderName);
    const chosen = choice(name, names, 'session.input_audio_format');
    return soundForms.find((each) => each.olderName === chosen);
  },
  transcription: 'input_audio_transcription',
  noise: 'input_audio_noise_reduction',
  path: 'session',
};

/**
 * @param session of `session.update`, or with `isOlder` of `transcription_session.update`; what it leaves out stays
 * @throws EarshotError bad_request, not_found for a model, naming the field
 */
export function updated(before: SessionSettings, session: unknown, isOlder: boolean): SessionSettings {
  const given = objectAt(session, 'session');
  if (given === undefined) throw badValue('session', 'an object', session);
  if (!isOlder && given['type'] !== undefined) choice(given['type'], ['transcription'], 'session.type');
  const audio = objectAt(given['audio'], 'session.audio') ?? {};
  const fields = isOlder ? given : (objectAt(audio['input'], 'session.audio.input') ?? {});
  const names = isOlder ? older : inInput;
  const change = <Value>(name: string, read: (value: unknown, path: string) => Value, was: Value): Value =>
    fields[name] === undefined ? was : read(fields[name], `${names.path}.${name}`);
  const { model } = before.transcription;
  return {
    form: names.form(fields) ?? before.form,
    transcription: change(names.transcription, (v, path) => transcriptionOf(v, path, model), before.transcription),
    detection: change('turn_detection', detectionOf, before.detection),
    noiseReduction: change(names.noise, noiseReductionOf, before.noiseReduction),
    include: given['include'] === undefined ? before.include : includeOf(given['include'], 'session.include'),
  };
}

/** The session as events show it. */
export function shown(
  { form, transcription, detection, noiseReduction, include }: SessionSettings,
  about: { readonly id: string; readonly expires_at: number },
  isOlder: boolean,
): object {
  const record = { object: 'realtime.transcription_session', ...about, include };
  if (isOlder)
    return {
      ...record,
      input_audio_format: form.olderName,
      input_audio_transcription: transcription,
      input_audio_noise_reduction: noiseReduction,
      turn_detection: detection,
    };
  return {
    type: 'transcription',
    ...record,
    audio: {
      input: {
        format: form === pcm16 ? { type: form.type, rate: form.sampleRate } : { type: form.type },
        transcription,
        noise_reduction: noiseReduction,
        turn_detection: detection,
      },
    },
  };
}
