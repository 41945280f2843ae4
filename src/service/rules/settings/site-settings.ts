import type { Setting } from './setting.ts';

/** Settings of the website: pages, sign-in, mails, and the authorization server. */
export const siteSettings = {
  site: {
    env: 'EARSHOT_SITE',
    flag: 'site',
    kind: 'boolean',
    default: 'true',
    description: 'Serve the website; false: only the APIs and the pages that their links lead to',
  },
  onDevice: {
    env: 'EARSHOT_ON_DEVICE',
    flag: 'on-device',
    kind: 'boolean',
    default: 'true',
    description:
      "Let tools of the website run in the visitor's browser where they can: nothing is uploaded, and no free use is " +
      'counted',
  },
  offline: {
    env: 'EARSHOT_OFFLINE',
    flag: 'offline',
    kind: 'boolean',
    default: 'true',
    description:
      'Let browsers keep the pages of tools that run in them, so that visited ones work without a connection, and install ' +
      'the site as an app',
  },
  oauthServer: {
    env: 'EARSHOT_OAUTH_SERVER',
    flag: 'oauth-server',
    kind: 'boolean',
    default: 'true',
    description:
      'Let programs ask people on the website to act for them (OAuth 2.1); off without the website and with an ' +
      'issuer of your own',
  },
  signUp: {
    env: 'EARSHOT_SIGN_UP',
    flag: 'sign-up',
    kind: 'choice',
    choices: ['open', 'closed'],
    default: 'open',
    description:
      'Whether people may create accounts on the website; closed: only accounts that you created can sign in',
  },
  sessionDays: {
    env: 'EARSHOT_SESSION_DAYS',
    flag: 'session-days',
    kind: 'number',
    minimum: 0.01,
    maximum: 366,
    default: '30',
    description: 'Days without use after which a browser is signed out',
  },
  freshSignInMinutes: {
    env: 'EARSHOT_FRESH_SIGN_IN_MINUTES',
    flag: 'fresh-sign-in-minutes',
    kind: 'number',
    minimum: 1,
    maximum: 1440,
    default: '15',
    description:
      'Minutes after a sign-in in which people may change the address, passkeys, keys and programs of their account, ' +
      'or delete it',
  },
  projectDays: {
    env: 'EARSHOT_PROJECT_DAYS',
    flag: 'project-days',
    kind: 'number',
    minimum: 0,
    maximum: 3660,
    default: '30',
    description:
      'Days after the last change in the editor for which a recording is kept with its transcript, its edit and what ' +
      'was rendered; 0: as long as any other file',
  },
  projectBytes: {
    env: 'EARSHOT_PROJECT_BYTES',
    flag: 'project-bytes',
    kind: 'integer',
    minimum: 0,
    default: '20000000000',
    description: 'Bytes of an account that are kept for so long; what is beyond goes like any other file',
  },
  smtpUrl: {
    env: 'EARSHOT_SMTP_URL',
    flag: 'smtp-url',
    kind: 'secret',
    default: null,
    description:
      'Mail server, as smtps://user:password@host (or smtp:// with STARTTLS). Default: no mails; earshot sign-in ' +
      'prints links',
  },
  mailFrom: {
    env: 'EARSHOT_MAIL_FROM',
    flag: 'mail-from',
    kind: 'text',
    default: null,
    description: 'Sender of mails, as Earshot <noreply@example.org>; must be set with a mail server',
  },
  legalFolder: {
    env: 'EARSHOT_LEGAL_FOLDER',
    flag: 'legal-folder',
    kind: 'text',
    default: null,
    description:
      'Folder with your privacy.md, terms.md and imprint.md (and privacy.de.md, ...) for the website. Default: drafts',
  },
  operatorAddress: {
    env: 'EARSHOT_OPERATOR_ADDRESS',
    flag: 'operator-address',
    kind: 'text',
    default: null,
    description: 'Your name, address and VAT number for receipts; \\n begins a new line',
  },
} as const satisfies Record<string, Setting>;
