import type { JSX } from 'preact';
import { formatTime } from '../time-ranges.ts';

const steps = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200];

/** Seconds between two labels: at most ten of them. */
const rulerStep = (seconds: number): number => steps.find((step) => seconds / step <= 10) ?? 14_400;

/** The ruler over all lanes. */
export function Ruler({ seconds }: { readonly seconds: number }): JSX.Element {
  const step = rulerStep(seconds);
  const places = Array.from({ length: Math.max(1, Math.ceil(seconds / step)) }, (_, at) => at * step);
  const percent = (at: number): string => `${(100 * at) / Math.max(seconds, 0.001)}%`;
  return (
    <svg class="ruler" aria-hidden="true">
      {places.map((at, index) => (
        <g key={at} class={index % 2 === 1 ? 'a1' : ''}>
          <line x1={percent(at)} x2={percent(at)} y1="10" y2="24" />
          <svg x={percent(at)} overflow="visible">
            <text x="5" y="15">
              {formatTime(at, 0)}
            </text>
          </svg>
        </g>
      ))}
    </svg>
  );
}
