/** US cents as text: "$5.00". */
export const dollars = (cents: number): string => `$${(cents / 100).toFixed(2)}`;

/** The payment and the unused rest: "$5.00, of which $4.96 stays yours". */
export const spokenPrice = (payCents: number, fileCents: number): string =>
  payCents > fileCents
    ? `${dollars(payCents)}, of which ${dollars(payCents - fileCents)} stays yours`
    : dollars(payCents);
