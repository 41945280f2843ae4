// A service that sends its mails to a mail server of the test, with a clock to turn.
import { afterAll, beforeAll } from 'vitest';
import { plainBrowser, type PlainBrowser } from '../../../fixtures/browser/plain-browser.ts';
import { type MailServer, startMailServer } from '../../../fixtures/mail/server.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';

/** Call at the top of a test file. */
export function useMailService() {
  const services = useServices();
  let service: TestService;
  let post: MailServer;
  let networks = 0;
  const clock = { ms: 0 };
  beforeAll(async () => {
    post = await startMailServer();
    service = await services.start({
      worker: false,
      now: () => new Date(Date.now() + clock.ms),
      config: { smtpUrl: post.url, mailFrom: 'Earshot <noreply@audio.test>', trustProxy: 'true' },
    });
  });
  afterAll(() => post.close());
  return {
    services,
    /** How far the clock of the rules is ahead. */
    clock,
    get service(): TestService {
      return service;
    },
    get post(): MailServer {
      return post;
    },
    /** What an address got that has these words, oldest first; notices of other things may come between. */
    mailsTo: (address: string, words = ''): readonly string[] =>
      post.mails
        .filter((mail) => mail.includes(`To: ${address}\n`))
        .map((mail) => mail.replaceAll('=\n', '').replaceAll('=3D', '='))
        .filter((mail) => mail.includes(words)),
    /** Each browser has a network address of its own, unless one is given. */
    browser: (network = `203.0.113.${(networks += 1)}`): PlainBrowser => plainBrowser(service.base, network),
  };
}
