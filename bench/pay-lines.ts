import type { Paying } from './pay.ts'
import { aloneLine, figureLine, type Line, rateLine, spread } from './table.ts'

/** The results of `pay`, with their aims. */
export function payLines({ live, sandbox, pinHashMs, weight }: Paying): Line[] {
  const { html, css, js } = weight
  const kilobytes = (bytes: number): string => (bytes / 1000).toFixed(1)
  const rates = sandbox.map(({ perSecond }) => perSecond)
  return [
    rateLine('pay, payments/s', live, '≥ 0.55'),
    figureLine('  p50, ms', live, ({ p50 }) => p50),
    figureLine('  p99, ms', live, ({ p99 }) => p99),
    aloneLine('  with the PIN check of the sandbox, payments/s', spread(rates, 1), ''),
    aloneLine('  one PIN check, ms', spread(pinHashMs, 1), ''),
    aloneLine(
      '  first view, kB',
      `${kilobytes(html + css + js)} (HTML ${kilobytes(html)}, CSS ${kilobytes(css)}, JS ${kilobytes(js)})`,
      '≤ 30',
    ),
  ]
}
