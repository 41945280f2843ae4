/** What a server answered; status null: nothing, and `answer` says why. */
export interface WebhookAnswer {
  readonly status: number | null;
  readonly answer: string;
}

/** Sends webhooks to public HTTPS links, by the rules of imports, and follows no redirect. */
export interface WebhookSender {
  /** One POST, with a bound of its own. Rejects only when `signal` is aborted. @throws AbortError */
  post(
    url: URL,
    message: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
    signal: AbortSignal,
  ): Promise<WebhookAnswer>;
}
