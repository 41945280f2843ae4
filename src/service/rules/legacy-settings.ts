import type { Setting } from './setting.ts';

/** Where and how the older API is spoken. */
export const legacySettings = {
  legacyHost: {
    env: 'EARSHOT_LEGACY_HOST',
    flag: 'legacy-host',
    kind: 'text',
    default: null,
    description: 'Host name whose requests speak the older API (/v1), on the same port. Default: none does',
  },
  legacyPort: {
    env: 'EARSHOT_LEGACY_PORT',
    flag: 'legacy-port',
    kind: 'integer',
    minimum: 0,
    maximum: 65535,
    default: null,
    description: 'Port of its own for the older API (/v1); 0 picks a free one. Default: none',
  },
  legacyDownloads: {
    env: 'EARSHOT_LEGACY_DOWNLOADS',
    flag: 'legacy-downloads',
    kind: 'choice',
    choices: ['link', 'key'],
    default: 'link',
    description:
      "What opens a result of the older API: the link itself for 24 hours, as its clients expect, or the account's key",
  },
  accountSockets: {
    env: 'EARSHOT_ACCOUNT_SOCKETS',
    flag: 'account-sockets',
    kind: 'integer',
    minimum: 1,
    default: '2000',
    description:
      'Websockets (older API), or streams of events, of one account or address that may be open at the same time',
  },
} as const satisfies Record<string, Setting>;
