import type { Setting } from './setting.ts';

/** Settings of the interfaces of others that the service also offers. */
export const doorSettings = {
  openaiApi: {
    env: 'EARSHOT_OPENAI_API',
    flag: 'openai-api',
    kind: 'boolean',
    default: 'true',
    description: "Serve OpenAI's endpoints (/v1/audio, /v1/models) for programs that speak them",
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
