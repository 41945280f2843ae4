import { EarshotError } from '../core/errors.ts';
import type { ToolId } from './tool-ids.ts';

/** Why a tool cannot run here, and what to do about it. */
export interface Unavailability {
  readonly message: string;
  readonly nextAction: string;
}

/** A tool of the interface whose work nobody has written yet. */
export function notInThisVersion(tool: ToolId): Unavailability {
  return {
    message: `${tool} is not part of this version`,
    nextAction: 'Update Earshot once its changelog names this tool.',
  };
}

export function toolUnavailable(tool: ToolId, { message, nextAction }: Unavailability): EarshotError {
  return new EarshotError('tool_unavailable', message, { nextAction, details: { tool } });
}
