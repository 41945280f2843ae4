/** What POST /api/v1/files answers for a file above 16 MiB. */
export interface Ticket {
  readonly file: { readonly id: string };
  readonly uploadPageUrl: string;
  readonly multipart: {
    readonly partUrl: string;
    readonly partSizeBytes: number;
    readonly partCount: number;
    readonly completeUrl: string;
  };
}

async function send(method: string, url: string, body?: Uint8Array<ArrayBuffer>): Promise<void> {
  const response = await fetch(url, { method, ...(body === undefined ? {} : { body }) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url} answered ${response.status}: ${text}`);
}

/** How the same bytes may be sent. */
export const ways = {
  'one PUT': (bytes: Uint8Array<ArrayBuffer>, { uploadPageUrl }: Ticket): Promise<void> =>
    send('PUT', `${uploadPageUrl}/file`, bytes),
  async 'parts one after the other'(bytes: Uint8Array<ArrayBuffer>, { multipart }: Ticket): Promise<void> {
    for (let part = 1; part <= multipart.partCount; part += 1) {
      await send(
        'PUT',
        multipart.partUrl.replace('{n}', String(part)),
        bytes.subarray((part - 1) * multipart.partSizeBytes, part * multipart.partSizeBytes),
      );
    }
    await send('POST', multipart.completeUrl);
  },
} as const;

export type Way = keyof typeof ways;
