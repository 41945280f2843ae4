import { toolSlugs } from './tool-slugs.ts';

export { toolSlugs };

/** Public id of a tool, as `run` and the service's /v1 interface take it: "remove_noise". */
export type ToolId = keyof typeof toolSlugs;
/** A tool's name in addresses and on the command line: "remove-noise". */
export type ToolSlug = (typeof toolSlugs)[ToolId];

/** Names that `Engine.run` accepts for a tool: its public id or its slug. */
export type ToolName = ToolId | ToolSlug;

/** The public id for a name. */
export type ToolIdOf<Name extends ToolName> = Name extends ToolId
  ? Name
  : { readonly [Id in ToolId]: (typeof toolSlugs)[Id] extends Name ? Id : never }[ToolId];

/** All public ids, in the order in which tools are listed. */
export const toolIds = Object.keys(toolSlugs) as readonly ToolId[];
