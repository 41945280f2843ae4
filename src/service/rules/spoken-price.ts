/** US cents for people: "$5.00". */
export const dollars = (cents: number): string => `$${(cents / 100).toFixed(2)}`;

/** What is paid, and what of it the file does not use: "$5.00, of which $4.96 stays yours". */
export const spokenPrice = (payCents: number, fileCents: number): string =>
  payCents > fileCents
    ? `${dollars(payCents)}, of which ${dollars(payCents - fileCents)} stays yours`
    : dollars(payCents);
