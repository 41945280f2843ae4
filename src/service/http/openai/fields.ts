import { badInput, badValue, numberFromText } from '../../../library/core/checks/schema.ts';
import type { JsonObject } from '../../../library/core/json.ts';
import type { SentReference } from '../../rules/free-runs/free-run-store.ts';
import { KnownSpeakers } from './known-speakers.ts';
import { requireModel } from './models.ts';
import { termsOf } from './terms.ts';

/** Formats of answers, as OpenAI's API names them. */
const formats = ['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'] as const;
export type ResponseFormat = (typeof formats)[number];

const granularities = ['word', 'segment'] as const;
type Granularity = (typeof granularities)[number];

/** Whether the speech is transcribed in its own language or translated into English. */
export type Task = 'transcribe' | 'translate';

/** A completely read form. */
export interface AskedFor {
  readonly task: Task;
  /** The options of transcribe_audio. */
  readonly options: JsonObject;
  readonly format: ResponseFormat;
  readonly granularities: readonly Granularity[];
  /** Fields that are taken and have no effect, for the answer's header. */
  readonly ignored: readonly string[];
  /** Answer with server-sent events? */
  readonly stream: boolean;
  /** Speakers that are to be named. */
  readonly references: readonly SentReference[];
}

/** What `include` may ask for there. There are no log probabilities of tokens: the answer's header says so. */
const included = ['logprobs'] as const;

/** Collects the fields of a form; names may end with [] and lists may repeat. */
export class FieldReader {
  private readonly task: Task;
  private readonly values = new Map<string, string[]>();
  private readonly knownSpeakers = new KnownSpeakers();

  constructor(task: Task) {
    this.task = task;
  }

  /** @throws EarshotError bad_request for a value that is not text */
  add(name: string, value: unknown): void {
    const plain = name.replace(/\[\d*\]$/, '');
    if (typeof value !== 'string') throw badValue(plain, 'text', value);
    if (this.knownSpeakers.add(plain, value)) return;
    this.values.set(plain, [...(this.values.get(plain) ?? []), value]);
  }

  /** @throws EarshotError bad_request, naming the field, what was expected and what came; not_found for the model */
  finish(): AskedFor {
    const { task } = this;
    requireModel(this.one('model'));
    const format = this.choice('response_format', formats, 'json');
    if (task === 'translate' && format === 'diarized_json')
      throw badValue('response_format', 'one of json, text, srt, verbose_json, vtt for translations', format);
    const temperature = numberFromText(this.one('temperature') ?? '0') ?? Number.NaN;
    if (!(temperature >= 0 && temperature <= 1))
      throw badValue('temperature', 'number from 0 to 1', this.one('temperature'));
    const language = this.one('language');
    if (language !== undefined && !/^[a-z]{2,3}$/.test(language))
      throw badValue('language', 'ISO 639 code such as en', language);
    const vocabulary = termsOf(this.one('prompt') ?? '');
    return {
      task,
      format,
      granularities: this.granularities(format),
      ignored: this.ignored(),
      references: this.knownSpeakers.finish(format),
      stream: this.choice('stream', ['true', 'false'], 'false') === 'true',
      options: {
        verbatim: true,
        speaker_labels: format === 'diarized_json',
        ...(task === 'translate' ? { translate: true } : {}),
        ...(language === undefined || task === 'translate' ? {} : { language }),
        ...(vocabulary.length === 0 ? {} : { vocabulary }),
      },
    };
  }

  private granularities(format: ResponseFormat): readonly Granularity[] {
    const given = this.values.get('timestamp_granularities') ?? [];
    if (given.length > 0 && format !== 'verbose_json')
      throw badValue('timestamp_granularities', 'response_format verbose_json together with it', format);
    for (const each of given)
      if (!(granularities as readonly string[]).includes(each))
        throw badValue('timestamp_granularities', `one of ${granularities.join(', ')}`, each);
    return given.length === 0 ? ['segment'] : (given as Granularity[]);
  }

  private ignored(): readonly string[] {
    const asked = (this.values.get('include') ?? []).filter((each) => each !== '');
    for (const each of asked)
      if (!(included as readonly string[]).includes(each))
        throw badValue('include', `one of ${included.join(', ')}`, each);
    return asked.length === 0 ? [] : ['include'];
  }

  /** '' counts as absent, since some programs send empty fields. */
  private one(name: string): string | undefined {
    const given = this.values.get(name) ?? [];
    if (given.length > 1) throw badInput(name, 'one value', 'several');
    return given[0] === '' ? undefined : given[0];
  }

  private choice<Choice extends string>(name: string, among: readonly Choice[], usual: Choice): Choice {
    const given = this.one(name);
    const found = among.find((each) => each === (given ?? usual));
    if (found === undefined) throw badValue(name, `one of ${among.join(', ')}`, given);
    return found;
  }
}
