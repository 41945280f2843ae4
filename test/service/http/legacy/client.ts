// The client that people have had for years, in Node: a form with the file, JSON whose left out fields are null, a
// websocket that it reads until the end, and the base address with the download path behind it.
import { once } from 'node:events';
import { WebSocket } from 'ws';

/** A status message as it came. */
export type Message = Readonly<Record<string, unknown>> & { readonly state: string };

export interface JobFields {
  readonly input: string;
  readonly outputExtension?: string | null;
  readonly output?: string | null;
  readonly [more: string]: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read whatever was answered
  readonly json: any;
}

export interface OlderClient {
  request(method: string, route: string, options?: { body?: FormData | object; key?: string | null }): Promise<Answer>;
  upload(file: File, query?: string): Promise<string>;
  createJob(fields: JobFields): Promise<string>;
  status(jobId: string): Promise<Message>;
  /** All messages until the socket closes. @param onMessage with those so far */
  follow(
    jobId: string,
    onMessage?: (messages: readonly Message[]) => void,
  ): Promise<{ readonly messages: readonly Message[]; readonly closeCode: number }>;
  /** The socket itself, open. */
  connect(jobId: string, key?: string | null): Promise<WebSocket>;
  /** Polls until it has ended. */
  ended(jobId: string): Promise<Message>;
  download(path: string): Promise<Answer>;
}

/** @param base with /v1 */
export function olderClient(base: string, apiKey: string): OlderClient {
  const headers = (key: string | null): Record<string, string> => (key === null ? {} : { 'x-api-key': key });

  async function request(
    method: string,
    route: string,
    { body, key = apiKey }: { body?: FormData | object; key?: string | null } = {},
  ): Promise<Answer> {
    const isForm = body instanceof FormData;
    const response = await fetch(base + route, {
      method,
      headers: { ...headers(key), ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    return {
      status: response.status,
      headers: response.headers,
      bytes,
      json: isJson && bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined,
    };
  }

  async function good(method: string, route: string, body?: FormData | object): Promise<Answer> {
    const answer = await request(method, route, body === undefined ? {} : { body });
    if (answer.status !== 200) throw new Error(`${method} ${route}: ${answer.status} ${answer.bytes.toString()}`);
    return answer;
  }

  const connect = async (jobId: string, key: string | null = apiKey): Promise<WebSocket> => {
    const socket = new WebSocket(`${base.replace('http', 'ws')}/wss/remove-noise/${jobId}/status`, {
      headers: headers(key),
    });
    await once(socket, 'open');
    return socket;
  };

  const client: OlderClient = {
    request,
    connect,
    async upload(file, query = '') {
      const form = new FormData();
      form.append('file', file, file.name);
      return (await good('POST', `/upload${query}`, form)).json.fileId as string;
    },
    async createJob({ input, outputExtension = null, output = null, ...more }) {
      return (await good('POST', '/remove-noise', { input, outputExtension, output, ...more })).json.jobId as string;
    },
    status: async (jobId) => (await good('GET', `/remove-noise/${jobId}/status`)).json as Message,
    async follow(jobId, onMessage = () => undefined) {
      const messages: Message[] = [];
      const socket = new WebSocket(`${base.replace('http', 'ws')}/wss/remove-noise/${jobId}/status`, {
        headers: headers(apiKey),
      });
      socket.on('message', (text: Buffer) => {
        messages.push(JSON.parse(text.toString()) as Message);
        onMessage(messages);
      });
      const [closeCode] = (await once(socket, 'close')) as [number];
      return { messages, closeCode };
    },
    async ended(jobId) {
      for (;;) {
        const message = await client.status(jobId);
        if (message.state === 'succeeded' || message.state === 'failed') return message;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    download: (path) => request('GET', path),
  };
  return client;
}
