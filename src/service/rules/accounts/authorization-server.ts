/** What a request of the protocol is for. 'resume': back from the question of consent. */
export type ProtocolEndpoint = 'authorize' | 'resume' | 'token' | 'register' | 'revoke' | 'keys' | 'metadata';

/** A request of the protocol (OAuth 2.1), without what the server does not need. */
export interface ProtocolRequest {
  readonly endpoint: ProtocolEndpoint;
  /** The service's address in the request, without a trailing slash. It is the issuer. */
  readonly base: string;
  readonly method: string;
  /** Id of the question, for 'resume'. */
  readonly question?: string;
  /** Of the query, in order; a name may repeat. Default: none. */
  readonly query?: readonly (readonly [name: string, value: string])[];
  /** A form, or the text of a JSON document for 'register'. Default: none. */
  readonly body?: string;
  /** The header Authorization: credentials of a client. */
  readonly authorization?: string | undefined;
  readonly cookie?: string | undefined;
}

export interface ProtocolAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** JSON, or empty. */
  readonly body: string;
}

/** What a person is asked before a program may act for the account. */
export interface ConsentQuestion {
  /** What the program calls itself, which proves nothing; null: nothing. */
  readonly name: string | null;
  /** Where the browser goes with the answer. */
  readonly redirectUri: string;
  /** Is that a program on the person's own machine? */
  readonly native: boolean;
}

/** A question in a browser. */
export interface AskedBrowser {
  readonly base: string;
  /** Id of the question, from the page's address. */
  readonly question: string;
  /** The header Cookie: only the browser in which the question began may answer it. */
  readonly cookie: string | undefined;
}

/** The OAuth 2.1 protocol. Knows no HTTP server, and no account but by its id. */
export interface AuthorizationServer {
  /** Answers a request of the protocol; refusals are answers, too. */
  answer(request: ProtocolRequest): Promise<ProtocolAnswer>;
  /** null: unknown, answered, expired, or of another browser. */
  question(asked: AskedBrowser): Promise<ConsentQuestion | null>;
  /**
   * Answers the question.
   * @param accountId the account that the program may act for; null: refused
   * @returns the address to go on at; null as above
   */
  decide(asked: AskedBrowser, accountId: string | null): Promise<string | null>;
}
