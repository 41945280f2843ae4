import { EarshotError } from '../../../library/core/errors/errors.ts';
import { toolIds, type ToolId } from '../../../library/contract/tool-ids.ts';
import type { FreeAllowance, OfferedFacts } from './offer.ts';

export type FactsByTool = Readonly<Record<ToolId, OfferedFacts>>;

/** @throws EarshotError internal_error when a public tool is missing */
export function indexTools(tools: readonly OfferedFacts[]): FactsByTool {
  const byId = new Map(tools.map((tool) => [tool.id, tool]));
  const missing = toolIds.filter((id) => !byId.has(id));
  if (missing.length > 0)
    throw new EarshotError(
      'internal_error',
      `Expected a declaration of every tool but ${missing.join(', ')} ${missing.length === 1 ? 'has' : 'have'} none`,
    );
  return Object.freeze(Object.fromEntries(byId) as Record<ToolId, OfferedFacts>);
}

/** One value for each tool. */
export function forEachTool<Value>(valueOf: (id: ToolId) => Value): Readonly<Record<ToolId, Value>> {
  return Object.fromEntries(toolIds.map((id) => [id, valueOf(id)])) as Record<ToolId, Value>;
}

/** A tool's free allowance, by the configured variant. */
export interface FreeOffer extends FreeAllowance {
  readonly enabled: boolean;
}

/** @param available can the tool run at all? */
export function freeOffer(
  tool: OfferedFacts,
  config: { readonly freeVariant: 'a' | 'b'; readonly freeEnabled: boolean },
  available = true,
): FreeOffer {
  const { seconds, dailyUses } = tool.free[config.freeVariant];
  return { enabled: config.freeEnabled && available, seconds, dailyUses };
}
