// Somebody with a recording in the editor.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { SiteBrowser } from '../../../../fixtures/browser/site.ts';
import type { TestService } from '../../../../fixtures/service/service.ts';
import { plainSessionCookie } from '../../../../../src/service/http/interface/session-cookie.ts';
import type { Account } from '../../../../../src/service/rules/accounts/account.ts';

export interface Person {
  readonly cookie: string;
  readonly account: Account;
  readonly file: string;
  /** Starts a job of the editor. @returns its id */
  press(what: 'transcript' | 'render', body: object): Promise<string>;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read whatever was answered
  api(path: string, init?: RequestInit): Promise<any>;
  jobs(): Promise<readonly { readonly id: string; readonly tool: string; readonly status: string }[]>;
  /** @param options of the window. @param base of another instance of the service */
  open(options?: Parameters<SiteBrowser['open']>[0], base?: string): Promise<Page>;
  /** With the session of the person. */
  send(method: string, path: string, body?: object): Promise<Response>;
  /** What is stored of the edit. */
  edit(): Promise<Record<string, unknown>>;
}

/** Somebody who is signed in, with a recording of their own. */
export async function personOf(service: TestService, browser: SiteBrowser, wav: Buffer): Promise<Person> {
  const { account, key } = await service.account(1000);
  const { token } = await service.operator.createSession(account.id, 3600);
  const cookie = `${plainSessionCookie}=${token}`;
  const api: Person['api'] = async (path, init = {}) =>
    (
      await fetch(`${service.base}/api/v1/${path}`, {
        ...init,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      })
    ).json();
  const body = JSON.stringify({ filename: 'talk.wav', sizeBytes: wav.length, contentType: 'audio/wav' });
  const made = await api('files', { method: 'POST', body });
  await fetch(made.upload.url, { method: 'PUT', headers: made.upload.headers, body: new Uint8Array(wav) });
  await api(`files/${made.file.id}?wait=30`);
  const file = made.file.id as string;
  const send: Person['send'] = (method, path, body) =>
    fetch(`${service.base}/edit/${file}${path === '' ? '' : `/${path}`}`, {
      method,
      headers: { cookie, origin: service.base, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return {
    cookie,
    account,
    file,
    api,
    async press(what, order) {
      const answer = await send('POST', what, order);
      expect(answer.status).toBe(201);
      return ((await answer.json()) as { id: string }).id;
    },
    edit: async () => (await service.service.edits.open(account, file)).edit?.state ?? {},
    jobs: async () => (await api('jobs')).data,
    async open(options = {}, base = service.base) {
      const page = await browser.open(options);
      await page.context().addCookies([{ name: plainSessionCookie, value: token, url: base }]);
      await page.goto(`${base}/edit/${file}`);
      return page;
    },
    send,
  };
}
