import type { Setting } from './setting.ts';

/** Settings of the interfaces of others that the service also offers. */
export const doorSettings = {
  openaiApi: {
    env: 'EARSHOT_OPENAI_API',
    flag: 'openai-api',
    kind: 'boolean',
    default: 'true',
    description: "Serve OpenAI's endpoints (/v1/audio, /v1/models, /v1/realtime) for programs that speak them",
  },
  realtimeSessions: {
    env: 'EARSHOT_REALTIME_SESSIONS',
    flag: 'realtime-sessions',
    kind: 'integer',
    minimum: 0,
    default: '50',
    description: "Most open sessions of OpenAI's realtime transcription (/v1/realtime) in one API process; 0: none",
  },
  accountRealtimeSessions: {
    env: 'EARSHOT_ACCOUNT_REALTIME_SESSIONS',
    flag: 'account-realtime-sessions',
    kind: 'integer',
    minimum: 1,
    default: '10',
    description: 'Most open realtime sessions of one account in one API process',
  },
  realtimeSeconds: {
    env: 'EARSHOT_REALTIME_SECONDS',
    flag: 'realtime-seconds',
    kind: 'integer',
    minimum: 1,
    maximum: 86_400,
    default: '3600',
    description: 'Longest realtime session, seconds',
  },
  realtimeIdleSeconds: {
    env: 'EARSHOT_REALTIME_IDLE_SECONDS',
    flag: 'realtime-idle-seconds',
    kind: 'integer',
    minimum: 1,
    maximum: 86_400,
    default: '300',
    description: 'A realtime session without an event from its client ends after this time, seconds',
  },
  realtimeBufferBytes: {
    env: 'EARSHOT_REALTIME_BUFFER_BYTES',
    flag: 'realtime-buffer-bytes',
    kind: 'integer',
    minimum: 65_536,
    default: '8388608',
    description:
      'Most sound of a realtime session that waits for its commit, and as much that waits for its transcription, bytes',
  },
  realtimeAppendBytes: {
    env: 'EARSHOT_REALTIME_APPEND_BYTES',
    flag: 'realtime-append-bytes',
    kind: 'integer',
    minimum: 65_536,
    default: '1048576',
    description: 'Most sound of one append in a realtime session, bytes',
  },
  mcp: {
    env: 'EARSHOT_MCP',
    flag: 'mcp',
    kind: 'boolean',
    default: 'true',
    description: 'Serve the Model Context Protocol at /mcp, for assistants',
  },
  mcpTools: {
    env: 'EARSHOT_MCP_TOOLS',
    flag: 'mcp-tools',
    kind: 'text',
    default: 'usual',
    description:
      'Tools that assistants get: usual, all, groups (clean, words, measure, cut, combine, convert, episode, labels) ' +
      'or names, with commas between them',
  },
  mcpAskCredits: {
    env: 'EARSHOT_MCP_ASK_CREDITS',
    flag: 'mcp-ask-credits',
    kind: 'integer',
    minimum: 0,
    default: '100',
    description: 'A job that an assistant starts and that costs more credits is started only after a question',
  },
} as const satisfies Record<string, Setting>;
