import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { FreeRun } from '../../rules/free-run-store.ts';
import type { Payment } from '../../rules/payment-store.ts';
import { sendCreditsPage, sendFinishPage, sendOnward, sendReceiptPage } from '../pages/payment-pages.ts';
import { readCookie } from '../interface/cookies.ts';
import { callerOf } from '../server/mount.ts';
import type { TryDeps } from './deps.ts';

type ByToken = { Params: { token: string } };

/** Our forms have a button and a short field. */
const formBytes = 1000;
const eventBytes = 1024 * 1024;
/** How long the browser remembers its receipt. */
const receiptDays = 30;

/** The payment pages: rendered on the server, without scripts. The token is the credential. */
export function paymentRoutes(app: FastifyInstance, deps: TryDeps): void {
  const { service, config, tools } = deps;
  const { freeRuns, payments } = service;
  const formOrigins = payments.checkoutOrigin === null ? [] : [payments.checkoutOrigin];
  const titles = new Map(tools.map(({ id, title }) => [id, title]));
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: formBytes },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
  const options = { config: { access: 'token' as const }, bodyLimit: formBytes };

  /** This browser's own payment: other holders of the finish link only see that it is paid. */
  const ofBrowser = (request: FastifyRequest, run: FreeRun): Promise<Payment | null> =>
    payments.ofBrowser(run, readCookie(request, receiptCookie(run)) ?? null);

  app.get<ByToken>('/finish/:token', options, (request, reply) =>
    sendFinishPage(request, reply, formOrigins, async () => {
      const { view, files } = await freeRuns.byFinishLink(request.params.token);
      const mine = await ofBrowser(request, view.run);
      return {
        view,
        files,
        toolTitle: titles.get(view.run.tool) ?? view.run.tool,
        receiptUrl: mine === null ? null : payments.receiptUrl(mine),
      };
    }),
  );

  app.post<ByToken>('/finish/:token', options, (request, reply) =>
    sendOnward(request, reply, formOrigins, async () => {
      const { view } = await freeRuns.byFinishLink(request.params.token);
      const finishUrl = view.finish?.url;
      // Already paid: back to the page, which says so.
      if (finishUrl === undefined) return { url: `./${request.params.token}`, ours: true };
      const { payment, url } = await payments.payForRun(view, await ofBrowser(request, view.run));
      const receiptUrl = payments.receiptUrl(payment);
      keepReceipt(request, reply, receiptCookie(view.run), finishUrl, receiptUrl);
      return { url, ours: url === receiptUrl };
    }),
  );

  creditsRoutes(app, deps);

  const showReceipt = (
    request: FastifyRequest<ByToken>,
    reply: FastifyReply,
    makeSecret: () => Promise<string | null>,
  ): Promise<FastifyReply> =>
    sendReceiptPage(request, reply, async () => {
      const secret = await makeSecret();
      const receipt = await payments.receipt(request.params.token);
      return {
        receipt,
        finish: receipt.run === null || receipt.payment.jobId === null ? null : await freeRuns.finishOf(receipt.run),
        instructions: receipt.payment.provider === 'operator' ? config.paymentInstructions : null,
        secret,
      };
    });

  app.get<ByToken>('/payments/:token', options, (request, reply) => showReceipt(request, reply, async () => null));

  app.post<ByToken>('/payments/:token', options, (request, reply) =>
    showReceipt(request, reply, () => {
      const { press } = (request.body ?? {}) as { press?: string };
      return payments.makeKey(request.params.token, press === undefined || press.length < 40 ? null : press);
    }),
  );
}

/** The page to buy credits for an account, linked from insufficient_balance errors. */
function creditsRoutes(app: FastifyInstance, { service: { payments }, config }: TryDeps): void {
  const formOrigins = payments.checkoutOrigin === null ? [] : [payments.checkoutOrigin];
  const options = { config: { access: 'token' as const }, bodyLimit: formBytes };

  app.get<ByToken>('/credits/:token', options, (request, reply) =>
    sendCreditsPage(request, reply, formOrigins, async () => ({
      account: await payments.buyer(request.params.token),
      amounts: [1, 2, 5, 20].map((times) => times * config.minimumPaymentCents),
    })),
  );

  app.post<ByToken>('/credits/:token', options, (request, reply) =>
    sendOnward(request, reply, formOrigins, async () => {
      const { cents } = (request.body ?? {}) as { cents?: string };
      const { payment, url } = await payments.payForCredits(
        request.params.token,
        /^\d{1,9}$/.test(cents ?? '') ? Number(cents) : NaN,
      );
      return { url, ours: url === payments.receiptUrl(payment) };
    }),
  );
}

/** One cookie per run: a browser may pay for several. */
const receiptCookie = ({ id }: FreeRun): string => `receipt_${id}`;

/** Stores the receipt in a cookie, so that the finish page can link it. */
function keepReceipt(
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  finishUrl: string,
  receiptUrl: string,
): void {
  const { pathname } = new URL(finishUrl);
  const path = pathname.slice(0, pathname.lastIndexOf('/') + 1);
  const secure = callerOf(request).protocol === 'https' ? '; Secure' : '';
  void reply.header(
    'set-cookie',
    `${name}=${receiptUrl.slice(receiptUrl.lastIndexOf('/') + 1)}; Path=${path}; Max-Age=${receiptDays * 86_400}; HttpOnly; SameSite=Lax${secure}`,
  );
}

/** Events of the payment provider. Reads raw bytes, which the signature covers. */
export function eventRoutes(app: FastifyInstance, { service }: TryDeps): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: eventBytes }, (_request, body, done) =>
    done(null, body),
  );
  app.post('/payments/stripe', { config: { access: 'signed' }, bodyLimit: eventBytes }, async (request, reply) => {
    const signature = request.headers['stripe-signature'];
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const payment = await service.payments.onEvent(body, typeof signature === 'string' ? signature : null);
    if (payment !== null)
      request.log.warn(
        {
          payment: payment.id,
          account: payment.accountId,
          dispute: payment.dispute,
          frozenCredits: payment.frozenCredits,
        },
        'The dispute of a payment has changed; see earshot payments list',
      );
    return reply.header('cache-control', 'no-store').send({ received: true });
  });
}
