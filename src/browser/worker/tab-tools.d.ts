// Written by scripts/build-browser.mjs from the declarations that say `runsInTab`.
declare module 'tab-tools' {
  import type { ValidateFunction } from 'ajv';
  import type { AnyTool } from '../../library/tools/declare/define.ts';

  /** By public id. */
  export const tools: Readonly<
    Record<string, () => Promise<{ readonly tool: AnyTool; readonly validate: ValidateFunction }>>
  >;
  /** The slug of each. */
  export const slugs: Readonly<Record<string, string>>;
  /** models/manifest.json. */
  export const models: string;
  /** Modules that are called by their place below src, without extension. */
  export const tasks: Readonly<Record<string, () => Promise<object>>>;
}
