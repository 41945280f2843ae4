/** `fill('{n} of {all}', { n: 1, all: 3 })` is "1 of 3". Unknown names are left unchanged. */
export const fill = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
