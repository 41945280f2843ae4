import type { RefillFailure } from '../../money/auto-refill.ts';

/** The texts of all mails in one language. */
export interface MailStrings {
  readonly signIn: {
    readonly subject: string;
    /** @param time UTC; `device` '': not known */
    readonly asked: (time: string, device: string) => string;
    readonly button: string;
    readonly orCode: string;
    readonly once: (minutes: number) => string;
    readonly copy: string;
    readonly notYou: string;
    readonly why: (host: string) => string;
  };
  readonly noAccount: {
    readonly subject: string;
    readonly none: string;
    readonly notYou: string;
  };
  readonly addressChanged: {
    readonly subject: string;
    /** @param address hidden but for its first letter; '': none */
    readonly changed: (time: string, address: string) => string;
    readonly notYou: string;
    readonly button: string;
    readonly undo: (until: string) => string;
    readonly you: string;
    readonly signInThere: (until: string) => string;
    readonly why: (host: string) => string;
  };
  readonly addressRestored: {
    readonly subject: string;
    readonly back: string;
    readonly taken: (address: string) => string;
    readonly ended: (since: string) => string;
    readonly button: string;
    readonly look: string;
    readonly operator: string;
    readonly why: (host: string) => string;
  };
  readonly notices: {
    readonly kinds: Readonly<
      Record<'device' | 'passkey' | 'key' | 'program', { readonly subject: string; readonly first: string }>
    >;
    readonly name: string;
    readonly time: string;
    readonly device: string;
    readonly unknown: string;
    readonly button: string;
    readonly notYou: string;
    readonly why: (host: string) => string;
  };
  readonly newAddress: {
    readonly subject: string;
    readonly asked: string;
    readonly button: string;
    readonly once: (minutes: number) => string;
    readonly why: (host: string) => string;
  };
  readonly refillFailed: {
    readonly subject: string;
    readonly cause: Readonly<Record<RefillFailure['cause'], (amount: string, card: string, time: string) => string>>;
    readonly creditsLeft: string;
    readonly running: string;
    readonly runningGoOn: string;
    readonly button: Readonly<Record<RefillFailure['cause'], string>>;
    readonly orElse: string;
    readonly why: (email: string, host: string) => string;
  };
  readonly receipt: {
    readonly subject: (credits: string, amount: string) => string;
    readonly thanks: string;
    readonly paid: string;
    readonly credits: (credits: string) => string;
    readonly each: (amount: string) => string;
    readonly creditsNow: string;
    readonly automatic: string;
    readonly button: string;
    readonly why: (host: string) => string;
  };
  readonly webhookOff: {
    readonly subject: string;
    readonly because: Readonly<Record<'failing' | 'gone', (url: string) => string>>;
    readonly kept: string;
    readonly button: string;
    readonly why: (host: string) => string;
  };
  readonly ended: {
    readonly subject: Readonly<Record<'completed' | 'failed' | 'cancelled' | 'test', (what: string) => string>>;
    readonly how: Readonly<Record<'completed' | 'failed' | 'cancelled' | 'test', string>>;
    readonly which: string;
    readonly ordered: string;
    readonly over: string;
    readonly error: string;
    readonly button: string;
    readonly why: (host: string) => string;
  };
  readonly deleted: {
    readonly subject: string;
    readonly gone: string;
    readonly why: (host: string) => string;
  };
}
