import { EarshotError } from '../../../../library/core/errors/errors.ts';
import { dollars } from '../../../rules/money/spoken-price.ts';
import type { Config } from '../../../rules/settings/config.ts';
import type { CallContext } from './call.ts';

/**
 * A price above the setting needs the user's consent.
 * @param what by which the question names it, and whether it has a free part
 * @throws EarshotError over_spending_cap; Asking
 */
export async function requireConsent(
  { mcpAskCredits }: Pick<Config, 'mcpAskCredits'>,
  { account, ask }: CallContext,
  { title, credits, hasFree }: { readonly title: string; readonly credits: number; readonly hasFree: boolean },
): Promise<void> {
  const available = account.balance - account.reserved;
  if (credits <= mcpAskCredits || credits > available) return;
  const price = `${credits} credits (${dollars(credits)})`;
  const reply = await ask({ message: `${title} costs ${price} for these files. Start it?` });
  if (reply === 'yes') return;
  throw new EarshotError(
    'over_spending_cap',
    reply === 'no'
      ? `${title} was not started: the price of ${price} was declined`
      : `${title} would cost ${price}, more than the ${mcpAskCredits} that are spent without asking`,
    {
      nextAction:
        reply === 'no'
          ? `Use a shorter file${hasFree ? ', or free: true for the free part' : ''}.`
          : `Ask the person, then call again with max_credits: ${credits}.`,
      details: { credits, limit: mcpAskCredits },
    },
  );
}
