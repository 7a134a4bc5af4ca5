/** Milliseconds of the machine's monotonic clock, which is the same in all processes. */
export const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6

/** `share` is from 0 to 1. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

export interface Waits {
  p50: number
  p90: number
  p95: number
  p99: number
  max: number
}

export const waitsOf = (ms: readonly number[]): Waits => ({
  p50: percentile(ms, 0.5),
  p90: percentile(ms, 0.9),
  p95: percentile(ms, 0.95),
  p99: percentile(ms, 0.99),
  max: percentile(ms, 1),
})
