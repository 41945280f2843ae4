import type { Setting } from './setting.ts';

/** The older API. */
export const legacySettings = {
  legacyHost: {
    env: 'EARSHOT_LEGACY_HOST',
    flag: 'legacy-host',
    kind: 'text',
    default: null,
    description: 'Host name of the older API (/v1), on the same port. Default: none',
  },
  legacyPort: {
    env: 'EARSHOT_LEGACY_PORT',
    flag: 'legacy-port',
    kind: 'integer',
    minimum: 0,
    maximum: 65535,
    default: null,
    description: 'Separate port for the older API (/v1); 0 picks a free one. Default: none',
  },
  legacyDownloads: {
    env: 'EARSHOT_LEGACY_DOWNLOADS',
    flag: 'legacy-downloads',
    kind: 'choice',
    choices: ['link', 'key'],
    default: 'link',
    description:
      'Credential for results of the older API: the link itself for 24 hours, as its clients expect, or the ' +
      "account's key",
  },
  accountSockets: {
    env: 'EARSHOT_ACCOUNT_SOCKETS',
    flag: 'account-sockets',
    kind: 'integer',
    minimum: 1,
    default: '2000',
    description: 'Open websockets (older API) and event streams of one account or address',
  },
} as const satisfies Record<string, Setting>;
