// A provider for Vercel's AI SDK: transcription by an Earshot service.
import {
  APICallError,
  type JSONObject,
  NoSuchModelError,
  type ProviderV4,
  type SharedV4Warning,
  type TranscriptionModelV4,
  type TranscriptionModelV4CallOptions,
  type TranscriptionModelV4Result,
} from '@ai-sdk/provider';
import {
  ApiError,
  type Client,
  type ClientOptions,
  ConnectionError,
  createClient,
  type FileRecord,
  type InputsByTool,
  type Job,
  type Transcript,
} from '../../../src/client.ts';

/** What `providerOptions.earshot` takes: the inputs of transcribe_audio, made from the tool's declaration. */
export type EarshotTranscriptionOptions = Omit<InputsByTool['transcribe_audio'], 'file_id'>;

/** Of the provider: the service's address and key, and what happens to files. */
export interface EarshotProviderOptions extends ClientOptions {
  /** Keep the recording and its transcript in the account, for as long as its files are kept. Default: they are deleted. */
  readonly keepFiles?: boolean;
}

/** The provider: `earshot.transcription()` is a model for `transcribe`. */
export interface EarshotProvider extends ProviderV4 {
  /** The recogniser of the service: `earshot-transcribe`, which is the default. */
  transcription(modelId?: string): TranscriptionModelV4;
  transcriptionModel(modelId: string): TranscriptionModelV4;
}

const provider = 'earshot';
const onlyModel = 'earshot-transcribe';

/** Endings by subtype; others are endings themselves, as wav, ogg, flac, opus, webm. */
const endings: Readonly<Record<string, string>> = {
  mpeg: 'mp3',
  mp4: 'm4a',
  'x-m4a': 'm4a',
  'x-wav': 'wav',
  wave: 'wav',
  'vnd.wave': 'wav',
  'x-flac': 'flac',
};

/** The name of the file that the service sees: it chooses by its ending what to expect. */
function nameOf(mediaType: string): string {
  const subtype = /^[a-z]+\/([\w.-]+)/i.exec(mediaType)?.[1]?.toLowerCase() ?? 'wav';
  return `audio.${endings[subtype] ?? subtype}`;
}

const bytesOf = (audio: Uint8Array | string): Uint8Array<ArrayBuffer> =>
  typeof audio === 'string' ? Uint8Array.from(atob(audio), (letter) => letter.charCodeAt(0)) : new Uint8Array(audio);

/** What is read of a transcript in JSON: docs/transcript-format.md. */
type Words = Pick<Transcript, 'language' | 'durationSeconds' | 'sentences'>;

/** @throws Error for what is no transcript */
function wordsOf(text: string, jobId: string): Words {
  const refused = (cause?: unknown): Error => new Error(`Expected a transcript as JSON from ${jobId}`, { cause });
  let read: Partial<Words> | null;
  try {
    read = JSON.parse(text) as Partial<Words> | null;
  } catch (thrown) {
    throw refused(thrown);
  }
  if (!Array.isArray(read?.sentences)) throw refused();
  return read as Words;
}

/** As the AI SDK tells errors of calls: whether to retry, and the status. */
function callError(thrown: unknown, url: string): unknown {
  if (thrown instanceof ApiError)
    return new APICallError({
      message: thrown.nextAction === null ? thrown.message : `${thrown.message} ${thrown.nextAction}`,
      url,
      requestBodyValues: {},
      isRetryable: thrown.retryable,
      cause: thrown,
      data: { code: thrown.code, details: thrown.details, requestId: thrown.requestId },
      ...(thrown.status === null ? {} : { statusCode: thrown.status }),
    });
  if (thrown instanceof ConnectionError)
    return new APICallError({ message: thrown.message, url, requestBodyValues: {}, isRetryable: true, cause: thrown });
  return thrown;
}

type Call = Omit<TranscriptionModelV4CallOptions, 'audio' | 'mediaType'>;

function createModel(options: EarshotProviderOptions): TranscriptionModelV4 {
  const { keepFiles = false, ...ofClient } = options;

  const warningsOf = ({ free, warnings }: Job): SharedV4Warning[] => [
    ...(free ? [{ type: 'other', message: 'Only the free part of the recording was transcribed.' } as const] : []),
    ...warnings.map(({ message }) => ({ type: 'other', message }) as const),
  ];

  async function transcribed(
    { headers, abortSignal: signal, providerOptions = {} }: Call,
    arrive: (client: Client) => Promise<FileRecord>,
  ): Promise<TranscriptionModelV4Result> {
    const given = Object.entries(headers ?? {}).filter((each): each is [string, string] => each[1] !== undefined);
    const client = createClient({ ...ofClient, headers: { ...ofClient.headers, ...Object.fromEntries(given) } });
    const url = `${ofClient.baseUrl ?? ''}/api/v1/jobs`;
    const made: string[] = [];
    try {
      const file = await arrive(client);
      made.push(file.id);
      const inputs = { ...(providerOptions[provider] as EarshotTranscriptionOptions | undefined), file_id: file.id };
      const job = await client.run('transcribe_audio', inputs, signal === undefined ? {} : { signal });
      made.push(...job.outputs.map(({ id }) => id));
      const json = job.outputs.find(({ filename }) => filename.endsWith('.json'));
      if (json === undefined) throw new Error(`Expected a transcript as JSON among the outputs of ${job.id}`);
      const download = await client.download(json.id, signal === undefined ? {} : { signal });
      const { language, durationSeconds, sentences } = wordsOf(await download.text(), job.id);
      const words = sentences.flatMap((sentence) => sentence.words ?? []);
      return {
        text: sentences.map(({ text }) => text).join(' '),
        segments: sentences.map(timed),
        words: words.map(timed),
        language,
        durationInSeconds: durationSeconds,
        warnings: warningsOf(job),
        response: { timestamp: new Date(job.createdAt), modelId: onlyModel, body: job },
        providerMetadata: {
          [provider]: { jobId: job.id, speakers: sentences.map(({ speaker }) => speaker) } satisfies JSONObject,
        },
      };
    } catch (thrown) {
      throw callError(thrown, url);
    } finally {
      // What is left goes by itself after the service's time.
      if (!keepFiles) await Promise.allSettled(made.map((id) => client.deleteFile(id)));
    }
  }

  return {
    specificationVersion: 'v4',
    provider,
    modelId: onlyModel,
    doGenerate: ({ audio, mediaType, ...call }) =>
      transcribed(call, (client) =>
        client.upload(bytesOf(audio), {
          filename: nameOf(mediaType),
          contentType: mediaType,
          ...(call.abortSignal === undefined ? {} : { signal: call.abortSignal }),
        }),
      ),
    async doGenerateFromUrl({ audio, ...call }) {
      // The service fetches public https links alone; the SDK downloads the others itself.
      if (audio.protocol !== 'https:') return undefined;
      try {
        return await transcribed(call, (client) =>
          client.importLink(audio.href, call.abortSignal === undefined ? {} : { signal: call.abortSignal }),
        );
      } catch (thrown) {
        const { data } = thrown as { readonly data?: { readonly code?: string } };
        if (data?.code === 'fetch_failed') return undefined;
        throw thrown;
      }
    },
  };
}

const timed = ({
  text,
  startSeconds,
  endSeconds,
}: {
  readonly text: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
}) => ({ text, startSecond: startSeconds, endSecond: endSeconds });

/**
 * A provider for the AI SDK over the REST API of an Earshot service.
 * @param options where the service is, and its key; by default those of a page of the service
 */
export function createEarshot(options: EarshotProviderOptions = {}): EarshotProvider {
  const transcriptionModel = (modelId: string): TranscriptionModelV4 => {
    if (modelId !== onlyModel) throw new NoSuchModelError({ modelId, modelType: 'transcriptionModel' });
    return createModel(options);
  };
  const none =
    (modelType: 'languageModel' | 'embeddingModel' | 'imageModel') =>
    (modelId: string): never => {
      throw new NoSuchModelError({ modelId, modelType });
    };
  return {
    specificationVersion: 'v4',
    languageModel: none('languageModel'),
    embeddingModel: none('embeddingModel'),
    imageModel: none('imageModel'),
    transcriptionModel,
    transcription: (modelId = onlyModel) => transcriptionModel(modelId),
  };
}
