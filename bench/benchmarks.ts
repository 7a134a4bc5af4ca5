import type { Benchmark } from './benchmark.ts'
import { isolation } from './isolation.ts'
import { money } from './money.ts'
import { rates } from './rates.ts'
import { sizes } from './sizes.ts'
import { waits } from './waits.ts'

/** Every benchmark, in the order in which `npm run bench` runs them. */
export const benchmarks: Record<string, Benchmark> = { ...rates, ...waits, ...isolation, ...money, ...sizes }
