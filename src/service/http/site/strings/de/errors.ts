import type { Strings } from '../en/index.ts';

export const errors: Strings['errors'] = {
  unauthorized: 'Ihre Sitzung ist zu Ende. Melden Sie sich wieder an: Ihre Auswahl ist noch da.',
  insufficient_balance: 'Sie haben dafür zu wenige Credits.',
  over_spending_cap: 'Der Preis hat sich geändert, seit er gezeigt wurde. Sehen Sie ihn noch einmal an.',
};
