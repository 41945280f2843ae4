/** A mail to one recipient. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Of its Message-ID: mail programs show a mail that came twice once. Default: a new one */
  readonly id?: string;
}

/** The port of the mail server. */
export interface Mailer {
  /** @throws EarshotError internal_error when the mail server cannot be reached or refuses */
  send(mail: Mail): Promise<void>;
  /** Resolves when the mails in progress are sent. */
  close(): Promise<void>;
}
