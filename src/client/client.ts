import type {
  Account,
  AutoRefill,
  CreatedFile,
  DownloadLink,
  FileRecord,
  InputsByTool,
  Job,
  LedgerEntry,
  Peaks,
  Quote,
  ToolDescriptor,
  ToolId,
  Transcript,
} from './api-types.ts';
import { refusedToPage } from './cross-origin.ts';
import { type Download, type DownloadOptions, openDownload } from './download.ts';
import { ApiError, JobError } from './errors.ts';
import { newKey } from './keys.ts';
import { builtInNode, downloadFetch, sendOverNode } from './node-http.ts';
import { type Call, createRequests, pause, type Requests } from './request.ts';
import { type SendBody, sendOverXhr, xhrHere } from './send-body.ts';
import type { UploadSource } from './upload-source.ts';
import { createUploads, type UploadOptions } from './upload.ts';

/** Settings of a client. */
export interface ClientOptions {
  /**
   * Base URL of the service, "https://audio.example.org"; for an embedded one with its prefix. Default: in a browser,
   * the origin of the page.
   */
  readonly baseUrl?: string;
  /**
   * API key (svc_sk_...) or OAuth access token, or a function that returns one for each request. Default: none, so that
   * a browser uses the website's session. A key in a page is public: use tokens there.
   */
  readonly apiKey?: string | (() => string | Promise<string>);
  /** Headers of every request, such as User-Agent where the platform allows it. Default: none */
  readonly headers?: Readonly<Record<string, string>>;
  /** Attempts at a request after failures of connection or service, 1 to 20. Default: 5, and 10 for each of an upload */
  readonly attempts?: number;
  /** If the service asks to retry later than after so many seconds, the request fails at once. Default: 60 */
  readonly longestWaitSeconds?: number;
  /** Sends the requests. Default: the platform's fetch */
  readonly fetch?: typeof globalThis.fetch;
}

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call, which then throws the signal's reason. Default: none */
  readonly signal?: AbortSignal;
}

/** Options for starting a job, besides its inputs. */
export interface StartOptions extends CallOptions {
  /**
   * 1 to 200 characters. The same key with the same inputs returns the same job, also from another process. Default: a
   * new one for each call, so that a call's own retries start one job
   */
  readonly idempotencyKey?: string;
}

/** Options for waiting for a job. */
export interface WaitOptions extends CallOptions {
  /** Called on every change of progress, stage or status. Default: none */
  readonly onProgress?: (job: Job) => void;
}

/** Calls of the REST API. All throw `ApiError` when refused and `ConnectionError` without an answer. */
export interface Client {
  /** Every tool with its price, its free uses and its input as JSON Schema. */
  tools(options?: CallOptions): Promise<readonly ToolDescriptor[]>;
  /** The price of a job on these files, in the job's order of files. */
  quote(tool: ToolId, fileIds: readonly string[], options?: CallOptions): Promise<Quote>;
  /** Balance, free uses left today, prices and limits. */
  account(options?: CallOptions): Promise<Account>;
  /** The settings of the automatic refill. */
  autoRefill(options?: CallOptions): Promise<AutoRefill>;
  /** Changes of the balance, newest first, fetched page by page. */
  ledger(options?: CallOptions): AsyncIterable<LedgerEntry>;

  /**
   * Sends a file and waits until it is checked: above 16 MB in parts, several at a time, with retries for each part.
   * @throws ApiError with the file's own error code when it cannot be used
   */
  upload(source: UploadSource, options?: UploadOptions): Promise<FileRecord>;
  /** Makes the service fetch a public https link, and waits until the file is checked. Default name: the link's. */
  importLink(url: string, options?: CallOptions & { readonly filename?: string }): Promise<FileRecord>;
  /** A file that a person uploads on its `uploadPageUrl`; `waitForFile` waits for it. */
  createUploadPage(options?: CallOptions): Promise<CreatedFile>;
  /** The current file record. */
  file(fileId: string, options?: CallOptions): Promise<FileRecord>;
  /**
   * Waits until the file has arrived and is checked, without a time limit.
   * @throws ApiError with the file's own error code when it cannot be used
   */
  waitForFile(fileId: string, options?: CallOptions): Promise<FileRecord>;
  /** Files, newest first, fetched page by page. Kind: by default both. */
  files(options?: CallOptions & { readonly kind?: FileRecord['kind'] }): AsyncIterable<FileRecord>;
  /** Deletes the bytes now rather than at `expiresAt`. */
  deleteFile(fileId: string, options?: CallOptions): Promise<void>;
  /** A link that is valid for 15 minutes, for a person or a player. */
  downloadLink(fileId: string, options?: CallOptions): Promise<DownloadLink>;
  /** The bytes of a file. */
  download(fileId: string, options?: DownloadOptions): Promise<Download>;
  /**
   * Sentences of a transcript between two times, with words where detail is full. Default: the first 300 s, concise;
   * `nextFromSeconds` is the next start.
   */
  transcript(
    fileId: string,
    options?: CallOptions & {
      readonly fromSeconds?: number;
      readonly toSeconds?: number;
      readonly detail?: Transcript['detail'];
    },
  ): Promise<Transcript>;
  /**
   * The waveform, once it is made. Level: 5, 50 or 500 bins per second, by default none, which returns the description
   * only.
   * First: index of a bin, by default 0. Count: 1 to 16384 bins, by default 4096.
   */
  peaks(
    fileId: string,
    options?: CallOptions & { readonly level?: 5 | 50 | 500; readonly first?: number; readonly count?: number },
  ): Promise<Peaks>;

  /** Starts a tool and returns at once. */
  start<Tool extends ToolId>(tool: Tool, inputs: InputsByTool[Tool], options?: StartOptions): Promise<Job>;
  /** The current job record. */
  job(jobId: string, options?: CallOptions): Promise<Job>;
  /** Jobs, newest first, fetched page by page. Tool: by default all. */
  jobs(options?: CallOptions & { readonly tool?: ToolId }): AsyncIterable<Job>;
  /**
   * Waits until the job has succeeded. Polls, faster at first. Aborting the wait does not affect the job.
   * @throws JobError when it has failed or was cancelled
   */
  wait(jobId: string, options?: WaitOptions): Promise<Job>;
  /**
   * Starts a tool and waits until it has succeeded. The signal also cancels the job.
   * @throws JobError when it has failed or was cancelled
   */
  run<Tool extends ToolId>(tool: Tool, inputs: InputsByTool[Tool], options?: StartOptions & WaitOptions): Promise<Job>;
  /** Cancels a job that has not finished. */
  cancel(jobId: string, options?: CallOptions): Promise<Job>;
}

const firstPollMs = 200;
const lastPollMs = 2000;
/** The service holds a request for at most 40 s; proxies often close silent connections after 60 s. */
const waitSeconds = 30;

/**
 * A client of the REST API that only needs fetch: for Node, browsers, and other platforms.
 * @throws TypeError for a missing or invalid base URL
 */
export function createClient(options: ClientOptions = {}): Client {
  const baseUrl = readBaseUrl(options.baseUrl);
  const fetch: typeof globalThis.fetch = options.fetch ?? ((...call) => globalThis.fetch(...call));
  const attemptsOf = (usual: number): number => Math.min(20, Math.max(1, options.attempts ?? usual));
  const requests = createRequests({
    baseUrl,
    apiKey: options.apiKey,
    fetch,
    fetchLink: options.fetch ?? downloadFetch(),
    sendBody: options.fetch === undefined ? sendHere : sendOverFetch(options.fetch),
    headers: options.headers,
    retry: { attempts: attemptsOf(5), longestWaitSeconds: options.longestWaitSeconds ?? 60 },
    explain: () => refusedToPage(baseUrl, fetch),
  });
  const upload = createUploads({ requests, retry: { attempts: attemptsOf(10) }, newKey });
  const get: Get = (to, signal, query = {}) => requests.json({ method: 'GET', to, query, signal });
  return { ...accountCalls(requests, get), ...fileCalls(requests, get, upload), ...jobCalls(requests, get) };
}

const sendOverFetch =
  (fetch: typeof globalThis.fetch): SendBody =>
  (url, outgoing) =>
    fetch(url, outgoing);

/** As the platform tells progress best. */
const sendHere: SendBody = (...outgoing) => {
  const [Xhr, node] = [xhrHere(), builtInNode()];
  const send = Xhr !== null ? sendOverXhr(Xhr) : node !== null ? sendOverNode(node) : sendOverFetch(globalThis.fetch);
  return send(...outgoing);
};

type Get = <Answer>(to: string, signal?: AbortSignal, query?: Call['query']) => Promise<Answer>;

const filePath = (fileId: string): string => `/api/v1/files/${encodeURIComponent(fileId)}`;
const jobPath = (jobId: string): string => `/api/v1/jobs/${encodeURIComponent(jobId)}`;

async function* pages<Item>(
  get: Get,
  to: string,
  signal: AbortSignal | undefined,
  query: Call['query'],
): AsyncGenerator<Item> {
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: { readonly data: readonly Item[]; readonly nextCursor: string | null } = await get(to, signal, {
      ...query,
      limit: 100,
      cursor,
    });
    yield* page.data;
    cursor = page.nextCursor;
  }
}

const accountCalls = (
  requests: Requests,
  get: Get,
): Pick<Client, 'tools' | 'quote' | 'account' | 'autoRefill' | 'ledger'> => ({
  tools: async ({ signal } = {}) => (await get<{ data: ToolDescriptor[] }>('/api/v1/tools', signal)).data,
  quote: (tool, fileIds, { signal } = {}) =>
    requests.json({ method: 'POST', to: '/api/v1/quote', json: { tool, fileIds }, signal }),
  account: ({ signal } = {}) => get('/api/v1/account', signal),
  autoRefill: ({ signal } = {}) => get('/api/v1/auto-refill', signal),
  ledger: ({ signal } = {}) => pages(get, '/api/v1/ledger', signal, {}),
});

type FileCalls = Pick<
  Client,
  | 'upload'
  | 'importLink'
  | 'createUploadPage'
  | 'file'
  | 'waitForFile'
  | 'files'
  | 'deleteFile'
  | 'downloadLink'
  | 'download'
  | 'transcript'
  | 'peaks'
>;

function fileCalls(requests: Requests, get: Get, upload: ReturnType<typeof createUploads>): FileCalls {
  async function waitForFile(fileId: string, signal?: AbortSignal): Promise<FileRecord> {
    for (;;) {
      const file = await get<FileRecord>(filePath(fileId), signal, { wait: waitSeconds });
      if (file.status === 'ready') return file;
      if (file.status === 'invalid' || file.status === 'deleted')
        throw new ApiError(
          file.error?.code ?? 'file_expired',
          file.error?.message ?? `Expected the file ${fileId} to arrive but it was deleted`,
        );
    }
  }

  return {
    async upload(source, uploadOptions = {}) {
      const { id } = await upload(source, uploadOptions);
      return waitForFile(id, uploadOptions.signal);
    },
    async importLink(url, { filename, signal } = {}) {
      const { id } = await requests.json<FileRecord>({
        method: 'POST',
        to: '/api/v1/files/import',
        json: { url, filename },
        signal,
      });
      return waitForFile(id, signal);
    },
    createUploadPage: ({ signal } = {}) =>
      requests.json({ method: 'POST', to: '/api/v1/files', json: { idempotencyKey: newKey() }, signal }),
    file: (fileId, { signal } = {}) => get(filePath(fileId), signal),
    waitForFile: (fileId, { signal } = {}) => waitForFile(fileId, signal),
    files: ({ kind, signal } = {}) => pages(get, '/api/v1/files', signal, { kind }),
    deleteFile: (fileId, { signal } = {}) => requests.json({ method: 'DELETE', to: filePath(fileId), signal }),
    downloadLink: (fileId, { signal } = {}) => get(`${filePath(fileId)}/download`, signal),
    async download(fileId, downloadOptions = {}) {
      const link = await get<DownloadLink>(`${filePath(fileId)}/download`, downloadOptions.signal);
      return openDownload(requests, link, downloadOptions);
    },
    transcript: (fileId, { fromSeconds, toSeconds, detail, signal } = {}) =>
      get(`${filePath(fileId)}/transcript`, signal, { from: fromSeconds, to: toSeconds, detail }),
    async peaks(fileId, { level, first, count, signal } = {}) {
      for (;;) {
        const answer = await get<Peaks>(`${filePath(fileId)}/peaks`, signal, {
          wait: waitSeconds,
          level,
          first,
          count,
        });
        if (answer.status !== 'processing') return answer;
      }
    },
  };
}

type JobCalls = Pick<Client, 'start' | 'job' | 'jobs' | 'wait' | 'run' | 'cancel'>;

function jobCalls(requests: Requests, get: Get): JobCalls {
  async function start<Tool extends ToolId>(
    tool: Tool,
    inputs: InputsByTool[Tool],
    { idempotencyKey = newKey(), signal }: StartOptions,
  ): Promise<Job> {
    // Media info accepts no key and needs none: it is free.
    const headers: Record<string, string> = tool === 'analyze_audio' ? {} : { 'idempotency-key': idempotencyKey };
    return requests.json<Job>({ method: 'POST', to: '/api/v1/jobs', json: { ...inputs, tool }, headers, signal });
  }

  async function wait(jobId: string, { onProgress, signal }: WaitOptions, started?: Job): Promise<Job> {
    let job = started ?? (await get<Job>(jobPath(jobId), signal));
    for (let pollMs = firstPollMs; ; pollMs = Math.min(lastPollMs, pollMs * 1.3)) {
      if (job.status === 'succeeded') return job;
      if (job.status === 'failed' || job.status === 'cancelled') throw new JobError(job);
      await pause(pollMs, signal);
      const before = job;
      job = await get<Job>(jobPath(jobId), signal);
      if (before.progress !== job.progress || before.stage !== job.stage || before.status !== job.status)
        onProgress?.(job);
    }
  }

  const cancel = (jobId: string, signal?: AbortSignal): Promise<Job> =>
    requests.json<Job>({ method: 'POST', to: `${jobPath(jobId)}/cancel`, signal, repeatable: false });

  return {
    start: (tool, inputs, startOptions = {}) => start(tool, inputs, startOptions),
    job: (jobId, { signal } = {}) => get(jobPath(jobId), signal),
    jobs: ({ tool, signal } = {}) => pages(get, '/api/v1/jobs', signal, { tool }),
    wait: (jobId, waitOptions = {}) => wait(jobId, waitOptions),
    async run(tool, inputs, runOptions = {}) {
      const job = await start(tool, inputs, runOptions);
      try {
        return await wait(job.id, runOptions, job);
      } catch (thrown) {
        // It may have ended meanwhile; the caller gets the signal's reason.
        if (runOptions.signal?.aborted) await cancel(job.id, AbortSignal.timeout(5000)).catch(() => undefined);
        throw thrown;
      }
    },
    cancel: (jobId, { signal } = {}) => cancel(jobId, signal),
  };
}

/**
 * Without URL.canParse, which in Node 22 refuses https://bücher.example after some thousand calls, and without
 * URL.parse, which older browsers lack.
 */
function isUrl(text: string): boolean {
  try {
    return new URL(text).href !== '';
  } catch {
    return false;
  }
}

function readBaseUrl(given: string | undefined): string {
  const { location } = globalThis as { readonly location?: { readonly origin: string } };
  const text = given ?? location?.origin;
  if (text === undefined || !isUrl(text))
    throw new TypeError(
      `Expected baseUrl, the address of the service such as "https://audio.example.org", but received ${text ?? 'none'}`,
    );
  return text.replace(/\/+$/, '');
}
