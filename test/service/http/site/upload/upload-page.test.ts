// The page's script runs here against the real HTTP side, in a world with just enough of a browser: elements, events,
// XMLHttpRequest.
import { File } from 'node:buffer';
import { runInNewContext } from 'node:vm';
import { rolldown } from 'rolldown';
import { describe, expect, it, vi } from 'vitest';
import { EarshotError } from '../../../../../src/library/core/errors/errors.ts';
import type { Service } from '../../../../../src/service/rules/service.ts';
import { storedFile, ticket, useApps } from '../../support.ts';
import { hasChromium } from '../../../../fixtures/browser/chromium.ts';
import { useBrowser } from '../../../../fixtures/browser/site.ts';
import { skipHere } from '../../../../fixtures/missing-part.ts';
import { eventually } from '../../../../fixtures/until.ts';
import { slow } from '../../../../fixtures/rounds.ts';

const start = useApps();
const browser = useBrowser();
const later = new Date(Date.now() + 3_600_000);

class Element {
  hidden = false;
  textContent = '';
  className = '';
  value: unknown = '';
  files: File[] = [];
  readonly classes = new Set<string>();
  readonly classList = {
    add: (name: string) => this.classes.add(name),
    remove: (name: string) => this.classes.delete(name),
  };
  readonly listeners = new Map<string, (event: object) => void>();
  addEventListener(name: string, listener: (event: object) => void): void {
    this.listeners.set(name, listener);
  }
  focus(): void {}
}

/** XMLHttpRequest as far as the page uses it, on fetch. */
function requestClass(base: string) {
  return class {
    readonly upload = new Element();
    readonly #listeners = new Map<string, () => void>();
    readonly #headers: Record<string, string> = {};
    #method = '';
    #url = '';
    #answer: Response | undefined;
    status = 0;
    responseText = '';
    open(method: string, url: string): void {
      expect(url.startsWith(`${base}/upload/`)).toBe(true);
      this.#method = method;
      this.#url = url;
    }
    setRequestHeader(name: string, value: string): void {
      this.#headers[name] = value;
    }
    getAllResponseHeaders(): string {
      return [...(this.#answer?.headers ?? [])].map(([name, value]) => `${name}: ${value}\r\n`).join('');
    }
    addEventListener(name: string, listener: () => void): void {
      this.#listeners.set(name, listener);
    }
    send(body: Blob | string | null): void {
      void (async () => {
        try {
          const bytes = body === null || typeof body === 'string' ? body : await body.arrayBuffer();
          const answer = await fetch(this.#url, { method: this.#method, headers: this.#headers, body: bytes });
          this.upload.listeners.get('progress')?.({
            loaded: typeof bytes === 'string' || bytes === null ? 0 : bytes.byteLength,
            total: typeof bytes === 'string' || bytes === null ? 0 : bytes.byteLength,
          });
          this.#answer = answer;
          this.responseText = await answer.text();
          this.status = answer.status;
        } catch {
          return this.#listeners.get('error')?.();
        }
        this.#listeners.get('load')?.();
      })();
    }
  };
}

let script: Promise<string> | undefined;

/** The page's script as a classic one, with what it imports. */
async function bundled(): Promise<string> {
  const build = await rolldown({ input: 'src/site/islands/upload-page.ts', platform: 'browser' });
  const { output } = await build.generate({ format: 'iife' });
  return output[0].code;
}

async function openPage(base: string, path: string) {
  const response = await fetch(base + path, { headers: { accept: 'text/html' } });
  const html = await response.text();
  const elements = new Map<string, Element>();
  for (const [, attributes = '', id = ''] of html.matchAll(/<\w+([^>]*\bid="(\w+)"[^>]*)>/g))
    elements.set(
      id,
      Object.assign(new Element(), { hidden: /\bhidden\b/.test(attributes.replaceAll('visually-hidden', '')) }),
    );
  const get = (id: string): Element => elements.get(id) ?? expect.fail(`no element ${id}`);
  if (elements.has('data'))
    get('data').textContent = html.split('<script type="application/json" id="data">')[1]!.split('</script>')[0]!;
  const window = new Element();
  const hurried = (callback: () => void, ms: number) => setTimeout(callback, ms > 100_000 ? ms : Math.min(ms, 5));
  const world = {
    document: { getElementById: get, title: '' },
    XMLHttpRequest: requestClass(base),
    performance,
    setTimeout: hurried,
    clearTimeout,
    fetch,
    location: { origin: base },
    AbortController,
    AbortSignal,
    Blob,
    Error,
    Headers,
    Response,
    Uint8Array,
    URL,
    addEventListener: window.addEventListener.bind(window),
    removeEventListener: () => undefined,
  };
  // A name that was built holds a hash.
  if (/<script type="module" src="\/upload\/assets\/upload-page(?:\.\w+)?\.js">/.test(html))
    runInNewContext(await (script ??= bundled()), world);
  return {
    response,
    html,
    get,
    choose(file: File) {
      get('file').files = [file];
      get('file').listeners.get('change')!({});
    },
    drop: (...files: File[]) =>
      window.listeners.get('drop')!({ preventDefault: () => undefined, dataTransfer: { files } }),
    again: () => get('again').listeners.get('click')!({}),
    arrived: () => eventually(() => expect(get('state').textContent).toMatch(/was uploaded/)),
    complained: () =>
      eventually(() => expect(get('problem').hidden).toBe(false)).then(() => get('problem').textContent),
  };
}

/** Keeps what arrives, in parts of 4 bytes. */
function receiver(
  size: number,
  options: {
    named: boolean;
    arrived?: Record<number, string>;
    fail?: (part: number, attempt: number) => EarshotError | null;
  },
) {
  const parts = new Map<number, string>(
    Object.entries(options.arrived ?? {}).map(([part, text]) => [Number(part), text]),
  );
  const attempts = new Map<number, number>();
  const count = Math.ceil(size / 4);
  const waiting = storedFile({
    status: 'awaiting_upload',
    filename: options.named ? 'talk.txt' : 'upload',
    sizeBytes: options.named ? size : null,
    upload: options.named ? { mode: 'multipart', partSizeBytes: 4, partCount: count } : null,
  });
  const multipart = {
    partSizeBytes: 4,
    partCount: count,
    partUrl: 'https://elsewhere.example/upload/tok/parts/{n}',
    completeUrl: 'https://elsewhere.example/upload/tok/complete',
    expiresAt: later,
  };
  const named = {
    file: { ...waiting, filename: 'talk.txt', sizeBytes: size },
    upload: null,
    multipart,
    uploadPageUrl: 'x',
  };
  const nameByToken = vi.fn<Service['files']['nameByToken']>(async () => named);
  return {
    parts,
    nameByToken,
    whole: () => Array.from({ length: count }, (_, index) => parts.get(index + 1) ?? '?').join(''),
    ticket: async () => (options.named ? named : ticket({ file: waiting, upload: null })),
    acceptPart: async (_token: string, part: number, body: AsyncIterable<Buffer>) => {
      let text = '';
      for await (const chunk of body) text += chunk.toString();
      const attempt = (attempts.get(part) ?? 0) + 1;
      attempts.set(part, attempt);
      const error = options.fail?.(part, attempt);
      if (error) throw error;
      parts.set(part, text);
    },
    completeUpload: async () => {
      const missingParts = Array.from({ length: count }, (_, index) => index + 1).filter((part) => !parts.has(part));
      if (missingParts.length > 0)
        throw new EarshotError('conflict', 'Parts are missing', { details: { missingParts } });
      return storedFile({ status: 'processing' });
    },
  } satisfies Partial<Service['files']> & Record<string, unknown>;
}

describe('the upload page', () => {
  it('is locked down, and keeps its address to itself', async () => {
    const { base } = await start({
      files: {
        ticket: async () =>
          ticket({
            file: storedFile({
              status: 'awaiting_upload',
              filename: '</script><b>&"\'.wav',
              upload: { mode: 'single', partSizeBytes: null, partCount: null },
            }),
          }),
      },
    });
    const { response, html, get } = await openPage(base, '/upload/tok');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(response.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'; .*; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(html.match(/<\/script>/g)).toHaveLength(2);
    expect(html).not.toMatch(/\son\w+="|style="|<style|<script>/);
    for (const [, address = ''] of html.matchAll(/(?:href|src)="(\/[^"]*)"/g))
      expect([address, (await fetch(base + address)).status]).toEqual([address, 200]);
    expect(get('expected').textContent).toContain('</script><b>&"\'.wav');
    expect(html).toContain('<html lang="en"');
  });

  it('needs no website', async () => {
    const { base } = await start({}, { config: { site: 'false' } });
    const html = await (await fetch(`${base}/upload/tok`)).text();
    const loaded = [...html.matchAll(/(?:href|src)="(\/[^"]*)"/g)].map(([, address = '']) => address);
    expect(loaded).toContainEqual(expect.stringMatching(/^\/upload\/assets\/upload-page(?:\.\w+)?\.css$/));
    for (const address of loaded) expect([address, (await fetch(base + address)).status]).toEqual([address, 200]);
  });

  it('sends a named file in one PUT with the headers of the ticket', async () => {
    let got = '';
    const { base } = await start({
      files: {
        ticket: async () =>
          ticket({
            file: storedFile({ status: 'awaiting_upload', sizeBytes: 9 }),
            upload: {
              url: 'https://elsewhere.example/upload/tok/file',
              headers: { 'Content-Type': 'audio/wav' },
              expiresAt: later,
            },
          }),
        acceptUpload: async (token, body) => {
          for await (const chunk of body) got += `${token}:${String(chunk)}`;
          return storedFile({ status: 'processing' });
        },
      },
    });
    const page = await openPage(base, '/upload/tok');
    page.choose(new File(['too long for it'], 'a.wav'));
    expect(await page.complained()).toContain('but a.wav has 15 bytes');
    page.choose(new File(['nine byte'], 'a.wav'));
    await page.arrived();
    expect([got, page.get('bar').value, page.get('percent').textContent]).toEqual(['tok:nine byte', 1, '100 %']);
  });

  it('names a file that has no name yet, and sends its parts', async () => {
    const files = receiver(18, { named: false });
    const { base } = await start({ files });
    const page = await openPage(base, '/upload/tok');
    page.drop(new File(['abcdefghijklmnopqr'], 'talk.txt', { type: 'text/plain' }));
    await page.arrived();
    expect(files.whole()).toBe('abcdefghijklmnopqr');
    expect(files.nameByToken).toHaveBeenCalledWith('tok', {
      filename: 'talk.txt',
      sizeBytes: 18,
      contentType: 'text/plain',
    });
  });

  it('tries parts again, and goes on where an earlier page left off', async () => {
    const sent: string[] = [];
    const files = receiver(18, {
      named: true,
      arrived: { 1: 'abcd', 4: 'mnop' },
      fail: (part, attempt) => {
        sent.push(`${part}/${attempt}`);
        return part === 2 && attempt < 3 ? new EarshotError('upload_limit_reached', 'Too many uploads at once') : null;
      },
    });
    const { base } = await start({ files });
    const page = await openPage(base, '/upload/tok');
    page.choose(new File(['abcdefghijklmnopqr'], 'talk.txt'));
    await page.arrived();
    expect(files.whole()).toBe('abcdefghijklmnopqr');
    expect(sent.sort()).toEqual(['2/1', '2/2', '2/3', '3/1', '5/1']);
  });

  it('stops at a refusal, says why, and can be told to try again', async () => {
    let refuse = true;
    const files = receiver(8, {
      named: true,
      fail: (part) => (refuse && part === 2 ? new EarshotError('file_expired', 'This upload link has expired') : null),
    });
    const { base } = await start({ files });
    const page = await openPage(base, '/upload/tok');
    page.choose(new File(['abcdefgh'], 'talk.txt'));
    expect(await page.complained()).toBe('This upload link has expired');
    expect(page.get('again').hidden).toBe(false);
    refuse = false;
    page.again();
    await page.arrived();
    expect(files.whole()).toBe('abcdefgh');
  });

  it.each([
    ['processing', /talk\.wav was uploaded/],
    ['ready', /talk\.wav was uploaded/],
    ['invalid', /cannot be read/],
    ['deleted', /was stopped/],
  ] as const)('says what became of a file that is %s', async (status, expected) => {
    const { base } = await start({
      files: {
        ticket: async () =>
          ticket({
            file: storedFile({ status, upload: { mode: 'single', partSizeBytes: null, partCount: null } }),
            upload: null,
          }),
      },
    });
    const { get } = await openPage(base, '/upload/tok');
    expect(get('state').textContent + get('problem').textContent).toMatch(expected);
    expect(get('choose').hidden).toBe(true);
  });

  it('tells people in words and programs in JSON that a link is no good', slow, async () => {
    const { base, call } = await start({
      files: { ticket: async () => Promise.reject(new EarshotError('file_expired', 'The link <b>expired</b>')) },
    });
    const { response, html } = await openPage(base, '/upload/tok');
    expect([response.status, response.headers.get('content-type')]).toEqual([410, 'text/html; charset=utf-8']);
    expect(html).toContain('The link &lt;b>expired&lt;/b>');
    const { status, json } = await call('GET', '/upload/tok', { headers: { accept: 'application/json' } });
    expect([status, json.error.code]).toEqual([410, 'file_expired']);
  });
});

it('goes on in Chromium where a part was cut off, and sends only that one twice', slow, async (context) => {
  if (!hasChromium) skipHere(context, 'chromium not installed');
  const files = receiver(18, { named: true });
  const { base } = await start({ files });
  const page = await browser.open({});
  const puts: string[] = [];
  await page.route('**/upload/tok/parts/*', async (route) => {
    const part = route.request().url().replace(/.*\//, '');
    puts.push(part);
    await (part === '5' && puts.filter((each) => each === '5').length < 3
      ? route.abort('connectionreset')
      : route.continue());
  });
  await page.goto(`${base}/upload/tok`);
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'talk.txt', mimeType: 'text/plain', buffer: Buffer.from('abcdefghijklmnopqr') });
  await page.getByText('was uploaded').waitFor();
  expect(files.whole()).toBe('abcdefghijklmnopqr');
  expect(puts.toSorted((a, b) => a.localeCompare(b))).toEqual(['1', '2', '3', '4', '5', '5', '5']);
  expect(await page.locator('#percent').innerText()).toBe('100 %');
  browser.forget();
});
