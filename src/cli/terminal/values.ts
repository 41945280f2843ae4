// oxlint-disable-next-line no-control-regex -- what moves a cursor, or turns the direction of a text
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Without letters that a terminal obeys: names of files and tags may hold any. Ends of lines and tabs stay. */
export const harmless = (text: string): string =>
  text.replaceAll(controls, (letter) => `\\u{${(letter.codePointAt(0) as number).toString(16)}}`);

/** Rows of a label and a value, one per line. */
export function table(rows: readonly (readonly [label: string, value: string])[]): string {
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`.trimEnd()).join('\n');
}

/** Columns with headings; the last one has any width. */
export function columns(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => (row[at] ?? '').length)));
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** A list that is typed again goes on: `-f srt -f vtt`. */
export const goingOn = (value: string, before: string | undefined): string =>
  before === undefined ? value : `${before},${value}`;
