/**
 * What people read instead of the service's own message, by its code: in English only where that speaks to programmers.
 * A code may be told apart by details.reason: "forbidden.old_sign_in". Also handed to the scripts.
 */
export const errors: Readonly<Record<string, string>> = {
  'forbidden.blocked':
    'The operator of this service has blocked this account. What it ran was cancelled; its credits and files are still ' +
    'there. Ask the operator.',
  'bad_request.nothing_sought': 'Say what to take out: words, numbers, speakers, stretches, or a plan.',
  'bad_request.nothing_written': 'Nothing is filled in. Write a title, or another of the fields.',
  unauthorized: 'Your session has ended. Sign in again: what you chose is still here.',
  free_limit_reached: 'The free runs of today are used up. New ones come at 0:00 UTC.',
  free_budget_exhausted: 'This service has no free runs left for today. New ones come at 0:00 UTC.',
  insufficient_balance: 'You have too few credits for this.',
  connection: 'The service could not be reached.',
  unexpected_answer: 'The service did not answer as expected. Try again.',
  over_spending_cap: 'The price has changed since it was shown. Look at it again.',
};
