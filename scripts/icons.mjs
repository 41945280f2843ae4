// The icons of the installed site, out of src/site/favicon.svg.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = join(fileURLToPath(new URL('..', import.meta.url)), 'src/site/favicon.svg');

/** Of its colour; systems cut up to a tenth off each side of a maskable icon. */
const [ground, room] = ['#ffd43b', 0.1];

export const iconNames = ['icon-any-192.png', 'icon-any-512.png', 'icon-maskable-512.png'];

/**
 * @param {string} name one of iconNames
 * @returns {Promise<Buffer>} PNG
 */
export async function makeIcon(name) {
  const { default: sharp } = await import('sharp');
  const [, purpose, size] = /icon-(\w+)-(\d+)\.png/.exec(name) ?? [];
  const margin = purpose === 'maskable' ? Math.round(Number(size) * room) : 0;
  const inner = Number(size) - 2 * margin;
  const drawn = sharp(readFileSync(source), { density: (72 * inner) / 32 }).resize(inner, inner);
  const around = { top: margin, bottom: margin, left: margin, right: margin, background: ground };
  return margin === 0 ? drawn.png().toBuffer() : drawn.flatten({ background: ground }).extend(around).png().toBuffer();
}
