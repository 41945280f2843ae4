import type {
  Account,
  AutoRefill,
  CreatedFile,
  DownloadLink,
  FileRecord,
  Job,
  LedgerEntry,
  Peaks,
  Quote,
  ToolDescriptor,
  ToolId,
  Transcript,
} from './api-types.ts';
import type { InputsByTool } from './tool-inputs.ts';
import { untilReady, waitSeconds } from './arrival.ts';
import { type ChainCalls, createChains } from './chains.ts';
import { refusedToPage } from './cross-origin.ts';
import { type Download, type DownloadOptions, openDownload } from './download.ts';
import { type CallOptions, createJobs, type StartOptions, type WaitOptions } from './jobs.ts';
import { newKey } from './keys.ts';
import { builtInNode, downloadFetch, sendOverNode } from './node-http.ts';
import { type Call, createRequests, type Requests } from './request.ts';
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
  /**
   * Attempts at a request after failures of connection or service, 1 to 20. Default: 5, and 10 for each of an upload
   */
  readonly attempts?: number;
  /** If the service asks to retry later than after so many seconds, the request fails at once. Default: 60 */
  readonly longestWaitSeconds?: number;
  /** Sends the requests. Default: the platform's fetch */
  readonly fetch?: typeof globalThis.fetch;
}

/** Calls of the REST API. All throw `ApiError` when refused and `ConnectionError` without an answer. */
export interface Client extends ChainCalls {
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
  /**
   * The current job record. If the service has lost a job that this client has started, it is ordered again: see `run`.
   */
  job(jobId: string, options?: CallOptions): Promise<Job>;
  /** Jobs, newest first, fetched page by page. Tool: by default all. */
  jobs(options?: CallOptions & { readonly tool?: ToolId }): AsyncIterable<Job>;
  /**
   * Waits until the job has succeeded. Polls, faster at first. Aborting the wait does not affect the job.
   * @throws JobError when it has failed or was cancelled
   */
  wait(jobId: string, options?: WaitOptions): Promise<Job>;
  /**
   * Starts a tool and waits until it has succeeded. The signal also cancels the job. A job that the service does not
   * know
   * any more, as after the fail-over of its database, is ordered again with the same key, up to three times; the job
   * then
   * has another id, and the first still is for it in calls of this client.
   * @throws JobError when it has failed or was cancelled
   */
  run<Tool extends ToolId>(tool: Tool, inputs: InputsByTool[Tool], options?: StartOptions & WaitOptions): Promise<Job>;
  /** Cancels a job that has not finished. */
  cancel(jobId: string, options?: CallOptions): Promise<Job>;
}

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
    async headersOf(isLink) {
      const { apiKey, headers } = options;
      const key = isLink || apiKey === undefined ? null : typeof apiKey === 'function' ? await apiKey() : apiKey;
      return key === null ? { ...headers } : { ...headers, authorization: `Bearer ${key}` };
    },
    fetch,
    fetchLink: options.fetch ?? downloadFetch(),
    sendBody: options.fetch === undefined ? sendHere : sendOverFetch(options.fetch),
    retry: { attempts: attemptsOf(5), longestWaitSeconds: options.longestWaitSeconds ?? 60 },
    explain: () => refusedToPage(baseUrl, fetch),
  });
  const upload = createUploads({ requests, retry: { attempts: attemptsOf(10) }, newKey });
  const get: Get = (to, signal, query = {}) => requests.json({ method: 'GET', to, query, signal });
  return {
    ...accountCalls(requests, get),
    ...fileCalls(requests, get, upload),
    ...jobCalls(createJobs({ requests, newKey }), get),
    ...createChains({ requests, newKey }, (to, signal) => pages(get, to, signal, {})),
  };
}

const sendOverFetch =
  (fetch: typeof globalThis.fetch): SendBody =>
  (url, outgoing) =>
    fetch(url, outgoing);

/** As the platform tells progress best. */
const sendHere: SendBody = (...outgoing) => {
  const [Xhr, node] = [xhrHere(), builtInNode()];
  const send =
    Xhr !== undefined ? sendOverXhr(Xhr) : node !== null ? sendOverNode(node) : sendOverFetch(globalThis.fetch);
  return send(...outgoing);
};

type Get = <Answer>(to: string, signal?: AbortSignal, query?: Call['query']) => Promise<Answer>;

const filePath = (fileId: string): string => `/api/v1/files/${encodeURIComponent(fileId)}`;

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
  const waitForFile = (fileId: string, signal?: AbortSignal): Promise<FileRecord> =>
    untilReady(requests, filePath(fileId), { signal });

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

const jobCalls = (
  { start, look, wait, run, cancel }: ReturnType<typeof createJobs>,
  get: Get,
): Pick<Client, 'start' | 'job' | 'jobs' | 'wait' | 'run' | 'cancel'> => ({
  start: (tool, inputs, startOptions = {}) => start(tool, inputs, startOptions),
  job: (jobId, { signal } = {}) => look(jobId, signal),
  jobs: ({ tool, signal } = {}) => pages(get, '/api/v1/jobs', signal, { tool }),
  wait: (jobId, waitOptions = {}) => wait(jobId, waitOptions),
  run: (tool, inputs, runOptions = {}) => run(tool, inputs, runOptions),
  cancel: (jobId, { signal } = {}) => cancel(jobId, signal),
});

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
      'Expected baseUrl, the address of the service such as "https://audio.example.org", but ' +
        `received ${text ?? 'none'}`,
    );
  let end = text.length;
  while (text[end - 1] === '/') end -= 1;
  return text.slice(0, end);
}
