// Questions to the person at a client of 2025-11-25 and before. Such a client says once, at the start, that its person
// can be asked, and answers a question with a request of its own, so both are remembered here: the first in the
// session's name, which the client sends with each request, the second for as long as the call waits.
import { randomUUID } from 'node:crypto';

/** What a person answered; null: not in time. */
export type Reply = { readonly action?: unknown; readonly content?: { readonly start?: unknown } } | null;

/** Before clients give the call up, which is after 60 s. */
const patienceMs = 45_000;
const sessionPrefix = 'can-ask-';
const questionPrefix = 'question-';

type Body = Readonly<Record<string, unknown>>;

const asObject = (value: unknown): Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Body) : {};

/** The session of a client that begins; null: its person cannot be asked. */
export function sessionOf(body: unknown): string | null {
  const { method, params } = asObject(body);
  const elicitation = asObject(asObject(params)['capabilities'])['elicitation'];
  if (method !== 'initialize' || elicitation === undefined) return null;
  // Without a mode it means forms.
  const { form, url } = asObject(elicitation);
  return form === undefined && url !== undefined ? null : `${sessionPrefix}${randomUUID()}`;
}

/** Can the person of this session be asked? */
export const canAsk = (session: unknown): boolean => typeof session === 'string' && session.startsWith(sessionPrefix);

export class Questions {
  private readonly open = new Map<string, { readonly accountId: string; readonly answer: (reply: Reply) => void }>();

  /**
   * Asks, and waits for an answer for 45 s.
   * @param send writes an event into the answer of the call
   */
  async ask(accountId: string, params: object, send: (event: string) => void, signal: AbortSignal): Promise<Reply> {
    const id = `${questionPrefix}${randomUUID()}`;
    const { promise, resolve } = Promise.withResolvers<Reply>();
    const over = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
    const stop = (): void => resolve(null);
    over.addEventListener('abort', stop, { once: true });
    this.open.set(id, { accountId, answer: resolve });
    send(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, method: 'elicitation/create', params })}\n\n`);
    try {
      return await promise;
    } finally {
      over.removeEventListener('abort', stop);
      this.open.delete(id);
    }
  }

  /** @returns whether the message is an answer to a question, of this account or of another */
  answer(accountId: string, message: unknown): boolean {
    const { id, method, result } = asObject(message);
    if (method !== undefined || typeof id !== 'string' || !id.startsWith(questionPrefix)) return false;
    const question = this.open.get(id);
    if (question?.accountId === accountId) question.answer(asObject(result));
    return true;
  }
}
