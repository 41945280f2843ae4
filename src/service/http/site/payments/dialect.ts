import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { FreeRun } from '../../../rules/free-runs/free-run-store.ts';
import type { Payment } from '../../../rules/money/payment-store.ts';
import { readCookie } from '../../interface/cookies.ts';
import { errorAnswer } from '../../interface/errors.ts';
import type { Dialect } from '../../server/dialect.ts';
import { callerOf } from '../../server/mount.ts';
import { takeForms } from '../account/view.ts';
import { assetRoutes } from '../frame/asset-routes.ts';
import type { Site } from '../frame/site.ts';
import { buyPage } from './buy-page.ts';
import { finishPage } from './finish-page.ts';
import { paymentPage } from './payment-page.ts';
import { sendOnward, sendPayPage } from './shell.ts';

type ByToken = { Params: { token: string } };

/** Our forms have a button and a short field. */
const options = { config: { access: 'token' as const }, bodyLimit: 1000 };
const eventBytes = 1024 * 1024;
/** How long the browser remembers its receipt. */
const receiptDays = 30;

/**
 * Pages of payments, and events of their provider. The token in the address is the credential. They are there without
 * the website, too, since answers of the APIs lead to them.
 */
export function paymentsDialect(site: Site, problems: Dialect['errorAnswer'] = errorAnswer): Dialect {
  return {
    name: 'payments',
    prefixes: ['/finish', '/payments', '/credits'],
    pathHelp: `Check the path; ${site.rootPath}/api/openapi.json lists all of them.`,
    errorAnswer: problems,
    async routes(scope) {
      await scope.register(async (inner) => {
        takeForms(inner);
        finishRoutes(inner, site);
        buyRoutes(inner, site);
        paymentRoutes(inner, site);
      });
      // In its own scope: it reads raw bytes.
      await scope.register(async (inner) => eventRoutes(inner, site));
      if (!site.config.site) assetRoutes(scope, site);
    },
  };
}

/** For the rest of a file. */
function finishRoutes(scope: FastifyInstance, site: Site): void {
  const { freeRuns, payments } = site.service;
  /** This browser's own payment: other holders of the finish link only see that it is paid. */
  const ofBrowser = (request: FastifyRequest, run: FreeRun): Promise<Payment | null> =>
    payments.ofBrowser(run, readCookie(request, receiptCookie(run)) ?? null);

  scope.get<ByToken>('/finish/:token', options, (request, reply) =>
    sendPayPage(site, request, reply, async (page) => {
      const { view, files } = await freeRuns.byFinishLink(request.params.token);
      const mine = await ofBrowser(request, view.run);
      return finishPage(page, {
        view,
        files,
        receiptUrl: mine === null ? null : payments.receiptUrl(mine),
        cameBack: mine?.status === 'open' && mine.provider !== 'operator',
      });
    }),
  );

  scope.post<ByToken>('/finish/:token', options, (request, reply) =>
    sendOnward(site, request, reply, async () => {
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
}

/** For credits, linked from errors about too few of them. */
function buyRoutes(scope: FastifyInstance, site: Site): void {
  const { payments } = site.service;
  scope.get<ByToken>('/credits/:token', options, (request, reply) =>
    sendPayPage(site, request, reply, async (page) =>
      buyPage(page, await payments.buyer(request.params.token), 'left' in (request.query as object)),
    ),
  );

  scope.post<ByToken>('/credits/:token', options, (request, reply) =>
    sendOnward(site, request, reply, async () => {
      const { cents } = (request.body ?? {}) as { cents?: string };
      const { payment, url } = await payments.payForCredits(
        request.params.token,
        /^\d{1,9}$/.test(cents ?? '') ? Number(cents) : NaN,
      );
      return { url, ours: url === payments.receiptUrl(payment) };
    }),
  );
}

/** The state of a payment. */
function paymentRoutes(scope: FastifyInstance, site: Site): void {
  const { freeRuns, payments } = site.service;
  const show = (
    request: FastifyRequest<ByToken>,
    reply: FastifyReply,
    makeSecret: () => Promise<string | null>,
  ): Promise<FastifyReply> =>
    sendPayPage(site, request, reply, async (page) => {
      const secret = await makeSecret();
      const receipt = await payments.receipt(request.params.token);
      const { run, payment } = receipt;
      const finish = run === null || payment.jobId === null ? null : await freeRuns.finishOf(run);
      return paymentPage(page, { receipt, finish, secret });
    });

  scope.get<ByToken>('/payments/:token', options, (request, reply) => show(request, reply, async () => null));

  scope.post<ByToken>('/payments/:token', options, (request, reply) =>
    show(request, reply, () => {
      const { press } = (request.body ?? {}) as { press?: string };
      return payments.makeKey(request.params.token, press === undefined || press.length < 40 ? null : press);
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
    `${name}=${receiptUrl.slice(receiptUrl.lastIndexOf('/') + 1)}; Path=${path}; Max-Age=${receiptDays * 86_400}; ` +
      `HttpOnly; SameSite=Lax${secure}`,
  );
}

/** Events of the payment provider. Reads raw bytes, which the signature covers. */
function eventRoutes(scope: FastifyInstance, { service }: Site): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: eventBytes }, (_request, body, done) =>
    done(null, body),
  );
  scope.post('/payments/stripe', { config: { access: 'signed' }, bodyLimit: eventBytes }, async (request, reply) => {
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
