import type { AnyTool } from '../../library/tools/declare/define.ts';
import type { CommonFlags } from './pieces.ts';
import { standardStream } from './standard-streams.ts';

/** Is it standard input that is followed while it goes on? What does so is loaded only then. */
export const isLive = (tool: AnyTool, files: readonly string[], { live, dryRun }: CommonFlags): boolean =>
  tool.live !== undefined && live === true && dryRun !== true && files.length === 1 && files[0] === standardStream;
