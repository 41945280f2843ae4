import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendCreditsPage, sendFinishPage, sendReceiptPage } from '../pages/payment-pages.ts';
import type { TryParts } from './parts.ts';

type ByToken = { Params: { token: string } };

/** A form of ours has one button and no fields. */
const formBytes = 1000;
const eventBytes = 1024 * 1024;

/** The pages where a person pays for the rest of a file: server-made, without a script. The token is the credential. */
export function paymentRoutes(app: FastifyInstance, parts: TryParts): void {
  const { service, config, tools } = parts;
  const { freeRuns, payments } = service;
  const formOrigins = payments.checkoutOrigin === null ? [] : [payments.checkoutOrigin];
  const titles = new Map(tools.map(({ id, title }) => [id, title]));
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: formBytes },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
  const options = { config: { access: 'token' as const }, bodyLimit: formBytes };

  app.get<ByToken>('/finish/:token', options, (request, reply) =>
    sendFinishPage(request, reply, formOrigins, async () => {
      const { view, files } = await freeRuns.byFinishLink(request.params.token);
      const made = await payments.ofRun(view.run);
      return {
        view,
        files,
        toolTitle: titles.get(view.run.tool) ?? view.run.tool,
        receiptUrl: made === null ? null : payments.receiptUrl(made),
      };
    }),
  );

  app.post<ByToken>('/finish/:token', options, async (request, reply) => {
    const { view } = await freeRuns.byFinishLink(request.params.token);
    const { url } = await payments.payForRun(view);
    return reply.header('cache-control', 'no-store').redirect(url, 303);
  });

  creditsRoutes(app, parts);

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
    showReceipt(request, reply, () => payments.makeKey(request.params.token)),
  );
}

/** The page where a person buys credits for an account, by the link of an answer that was short of them. */
function creditsRoutes(app: FastifyInstance, { service: { payments }, config }: TryParts): void {
  const formOrigins = payments.checkoutOrigin === null ? [] : [payments.checkoutOrigin];
  const options = { config: { access: 'token' as const }, bodyLimit: formBytes };

  app.get<ByToken>('/credits/:token', options, (request, reply) =>
    sendCreditsPage(request, reply, formOrigins, async () => ({
      account: await payments.buyer(request.params.token),
      amounts: [1, 2, 5, 20].map((times) => times * config.minimumPaymentCents),
    })),
  );

  app.post<ByToken>('/credits/:token', options, async (request, reply) => {
    const { cents } = (request.body ?? {}) as { cents?: string };
    const { url } = await payments.payForCredits(
      request.params.token,
      /^\d{1,9}$/.test(cents ?? '') ? Number(cents) : NaN,
    );
    return reply.header('cache-control', 'no-store').redirect(url, 303);
  });
}

/** What the provider of payments sends. Its signature is over the bytes, so they stay as they came. */
export function eventRoutes(app: FastifyInstance, { service }: TryParts): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: eventBytes }, (_request, body, done) =>
    done(null, body),
  );
  app.post('/payments/stripe', { config: { access: 'signed' }, bodyLimit: eventBytes }, async (request, reply) => {
    const signature = request.headers['stripe-signature'];
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    await service.payments.onEvent(body, typeof signature === 'string' ? signature : null);
    return reply.header('cache-control', 'no-store').send({ received: true });
  });
}
