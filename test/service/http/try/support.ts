// Requests of the free API as curl sends them, against the whole service.
import { wavBytes } from '../../../fixtures/media/pcm-files.ts';
import type { TestService } from '../../../fixtures/service/service.ts';

/** A tone of so many seconds, mono, 16 bit. */
export const tone = (seconds: number, rate = 16_000, hertz = 440): File =>
  new File(
    [
      new Uint8Array(
        wavBytes(
          [
            Float32Array.from(
              { length: Math.round(seconds * rate) },
              (_, frame) => 0.1 * Math.sin((2 * Math.PI * hertz * frame) / rate),
            ),
          ],
          rate,
        ),
      ),
    ],
    'tone.wav',
    { type: 'audio/wav' },
  );

/** Fields of a form in order. */
export type Fields = readonly (readonly [name: string, value: string | File])[];

export interface TryAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read whatever was answered
  readonly json: any;
}

export interface TryOptions {
  /** The visitor's address; the service must trust one proxy. Default: 127.0.0.1 itself. */
  readonly from?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

const readAnswer = async (response: Response): Promise<TryAnswer> => {
  const bytes = Buffer.from(await response.arrayBuffer());
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true && bytes.length > 0;
  return {
    status: response.status,
    headers: response.headers,
    bytes,
    json: isJson ? JSON.parse(bytes.toString()) : undefined,
  };
};

export async function tryTool(
  { base }: Pick<TestService, 'base'>,
  slug: string,
  given: Fields | object,
  { from, headers = {}, signal }: TryOptions = {},
): Promise<TryAnswer> {
  let body: FormData | string;
  if (Array.isArray(given)) {
    body = new FormData();
    for (const [name, value] of given as Fields)
      if (typeof value === 'string') body.append(name, value);
      else body.append(name, value, value.name);
  } else body = JSON.stringify(given);
  return readAnswer(
    await fetch(`${base}/api/try/${slug}`, {
      method: 'POST',
      headers: {
        ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
        ...(from === undefined ? {} : { 'x-forwarded-for': from }),
        ...headers,
      },
      body,
      ...(signal === undefined ? {} : { signal }),
    }),
  );
}

/** What a status link says now. */
export const poll = async (url: string): Promise<TryAnswer> => readAnswer(await fetch(url));

/** The run behind a status link when it has ended. */
export async function ended(url: string): Promise<TryAnswer['json']> {
  for (;;) {
    const { json } = await poll(url);
    if (['succeeded', 'failed', 'cancelled'].includes(json.status as string)) return json;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
