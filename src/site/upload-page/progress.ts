/** Formats bytes: "999 bytes", "1.5 MB", "12 GB". */
export function formatBytes(bytes: number): string {
  const names = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  let rest = bytes;
  let index = 0;
  while (rest >= 1000 && index < names.length - 1) {
    rest /= 1000;
    index++;
  }
  return `${index === 0 ? rest : rest.toFixed(rest < 10 ? 1 : 0)}\u00a0${names[index]}`;
}

/** Time window of the measured speed, milliseconds. */
const speedWindowMs = 5000;

/** How far an upload is. */
export interface Measured {
  /** 0 to 1. */
  readonly fraction: number;
  readonly bytesPerSecond: number;
}

/**
 * Measures the speed of an upload.
 * @param now milliseconds, monotone
 * @returns takes the bytes that are sent; fewer than before when some are sent again
 */
export function createMeter(totalBytes: number, now: () => number): (sentBytes: number) => Measured {
  let seen: { readonly at: number; readonly sent: number }[] = [];
  return (sent) => {
    const at = now();
    seen = [...seen.filter((point) => at - point.at < speedWindowMs), { at, sent }];
    const first = seen[0] ?? { at, sent };
    return {
      fraction: totalBytes > 0 ? sent / totalBytes : 1,
      bytesPerSecond: at > first.at ? Math.max(0, ((sent - first.sent) * 1000) / (at - first.at)) : 0,
    };
  };
}

/** Why this file does not match the link; null: it does. */
export function whyNot(
  file: { readonly name: string; readonly size: number },
  { filename, sizeBytes }: { readonly filename: string | null; readonly sizeBytes: number | null },
): string | null {
  const bytes = (count: number): string => `${count.toLocaleString('en')} bytes`;
  if (sizeBytes !== null && file.size !== sizeBytes)
    return `This link is for ${filename} (${bytes(sizeBytes)}), but ${file.name} has ${bytes(file.size)}.`;
  return file.size === 0 ? `${file.name} is empty.` : null;
}
