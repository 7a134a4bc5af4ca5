import type { Line, Pair } from './benchmark.ts'

export const rateLine = (what: string, pairs: Pair<{ perSecond: number }>[], aim = ''): Line =>
  comparedLine(what, pairs, ({ perSecond }) => perSecond, aim)

export function figureLine<Figures>(
  what: string,
  pairs: Pair<Figures>[],
  figure: (figures: Figures) => number,
  aim = '',
): Line {
  const service = pairs.map((pair) => figure(pair.service))
  const bare = pairs.map((pair) => figure(pair.bare))
  return {
    what,
    service: spread(service, digitsOf(service)),
    bare: spread(bare, digitsOf(bare)),
    ratio: '',
    aim,
  }
}

const digitsOf = (values: number[]): number => (Math.max(...values) < 100 ? 1 : 0)

export function comparedLine<Figures>(
  what: string,
  pairs: Pair<Figures>[],
  figure: (figures: Figures) => number,
  aim = '',
): Line {
  const ratios = pairs.map(({ service, bare }) => figure(service) / figure(bare))
  return { ...figureLine(what, pairs, figure), ratio: spread(ratios, 2), aim }
}

export const aloneLine = (what: string, service: string, aim = ''): Line => ({
  what,
  service,
  bare: '',
  ratio: '',
  aim,
})

export const rateLines = (
  what: string,
  pairs: Pair<{ perSecond: number; p50: number; p99: number }>[],
  aim: string,
): Line[] => [
  rateLine(what, pairs, aim),
  figureLine('  p50, ms', pairs, ({ p50 }) => p50),
  figureLine('  p99, ms', pairs, ({ p99 }) => p99),
]

export const waitLines = (what: string, pairs: Pair<{ p50: number; p99: number }>[], aim: string): Line[] => [
  comparedLine(`${what}, p99, ms`, pairs, ({ p99 }) => p99, aim),
  comparedLine('  p50, ms', pairs, ({ p50 }) => p50),
]

/** `median (least–most)`, or '' if a value is missing (NaN). */
export function spread(values: number[], digits: number): string {
  if (values.some(Number.isNaN)) return ''
  const sorted = [...values].sort((one, other) => one - other)
  const [least, middle, most] = [sorted[0] ?? 0, median(sorted), sorted.at(-1) ?? 0]
  return `${middle.toFixed(digits)} (${least.toFixed(digits)}–${most.toFixed(digits)})`
}

function median(sorted: number[]): number {
  const middle = sorted.length / 2
  const upper = sorted[Math.floor(middle)] ?? 0
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? 0) + upper) / 2 : upper
}

export const lineTable = (lines: Line[]): string[][] => [
  ['', 'service', 'beside', 'ratio', 'aim'],
  ...lines.map(({ what, service, bare, ratio, aim }) => [what, service, bare, ratio, aim]),
]
