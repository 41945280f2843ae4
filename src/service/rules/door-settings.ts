import type { Setting } from './setting.ts';

/** Interfaces of others that the service also speaks. */
export const doorSettings = {
  openaiApi: {
    env: 'EARSHOT_OPENAI_API',
    flag: 'openai-api',
    kind: 'boolean',
    default: 'true',
    description: "Serve OpenAI's endpoints (/v1/audio, /v1/models) for programs that speak them",
  },
} as const satisfies Record<string, Setting>;
