import type { Benchmark } from './benchmark.ts'
import { measureBooking } from './booking.ts'
import { measureCreateCost } from './create-cost.ts'
import { measureExport } from './export.ts'
import { measureRelayCost } from './relay-cost.ts'
import { measureStatement } from './statement.ts'
import { aloneLine, comparedLine, figureLine, rateLine, spread } from './table.ts'

/** The benchmarks of merchants' references, the ledger, its statements and exports. */
export const money: Record<string, Benchmark> = {
  'create-cost': {
    describe: () =>
      'processor time of `web` and MongoDB for a create with a `merchantReference` ÷ without; with --before, of this version ÷ of another checkout',
    async measure(bench) {
      const { plain, withReference, before } = await measureCreateCost(bench)
      const pairs = (service: number[], bare: number[]) =>
        service.map((us, round) => ({ service: us, bare: bare[round] ?? Number.NaN }))
      const us = (each: number): number => each
      const earlier = [
        comparedLine('create-cost ÷ before, µs', pairs(plain, before), us, '≤ 1.05'),
        comparedLine('  with a reference ÷ before, µs', pairs(withReference, before), us, '≤ 1.05'),
      ]
      const line = comparedLine('create-cost with a reference ÷ without, µs', pairs(withReference, plain), us, '')
      return [...(bench.before === null ? [] : earlier), line]
    },
    takesSeconds: ({ rounds }) => 10 + (rounds + 2) * 9,
    profiled: ['create-cost-web'],
  },
  'relay-cost': {
    describe: ({ deliveries }) =>
      `processor time of \`worker\` and MongoDB for each of ${deliveries} deliveries, from the outbox to the recorded result ÷ that of another checkout (--before)`,
    async measure(bench) {
      if (bench.before === null) return []
      const pairs = await measureRelayCost(bench, bench.before)
      return [
        comparedLine('relay-cost ÷ before, µs', pairs, ({ workerUs, mongoUs }) => workerUs + mongoUs, ''),
        comparedLine('  worker', pairs, ({ workerUs }) => workerUs, ''),
        comparedLine('  MongoDB', pairs, ({ mongoUs }) => mongoUs, ''),
        rateLine('  deliveries/s', pairs, ''),
      ]
    },
    takesSeconds: ({ rounds, deliveries, before }) =>
      before === null ? 0 : 30 + (6 + rounds * 2) * (deliveries / 2500),
    profiled: ['relay-cost-worker'],
  },
  booking: {
    describe: ({ deliveries }) =>
      `deliveries/s of one \`worker\` for ${deliveries} payment.confirmed, which it also books ÷ for as many payment.created`,
    async measure(bench) {
      const pairs = await measureBooking(bench)
      return [
        rateLine('booking, deliveries/s', pairs, ''),
        comparedLine('  µs of CPU in worker and MongoDB', pairs, ({ workerUs, mongoUs }) => workerUs + mongoUs, ''),
      ]
    },
    takesSeconds: ({ rounds, deliveries }) => 10 + (6 + rounds * 2) * (deliveries / 2500),
    profiled: ['booking-worker'],
  },
  statement: {
    describe: ({ most, seconds }) =>
      `statements of a day with ${most / 10} payments, and the balance after ${most} entries ÷ those of a merchant with 1 000 payments a day; p95 at 2 connections, ${seconds} s in turns`,
    async measure(bench) {
      const { closed, open, balance } = await measureStatement(bench)
      const ms = (p95: number): number => p95
      return [
        comparedLine(`statement of a closed day with ${bench.most / 10} payments ÷ 1000, p95, ms`, closed, ms, '≤ 1.5'),
        comparedLine('  of the open day', open, ms, '≤ 3'),
        comparedLine(`balance after ${bench.most} entries ÷ 4000, p95, ms`, balance, ms, '≤ 1.5'),
      ]
    },
    takesSeconds: ({ rounds, seconds, most }) => 15 + most / 5000 + 6 * (rounds + 1) * (seconds + 1),
    profiled: ['statement-web'],
  },
  export: {
    describe: ({ most, trafficSeconds }) =>
      `50 creates/s of one merchant beside the export of another's ${most} payments ÷ alone; one \`web\`, ${trafficSeconds} s in turns`,
    async measure(bench) {
      const pairs = await measureExport(bench)
      const growth = pairs.map(({ service, bare }) => service.mib - bare.mib)
      return [
        comparedLine('export, p99 of the create, ms', pairs, ({ p99 }) => p99, '≤ 1.5'),
        comparedLine('  p50, ms', pairs, ({ p50 }) => p50, ''),
        figureLine('  rows/s', pairs, ({ rowsPerSecond }) => rowsPerSecond),
        aloneLine('  growth of the memory of `web`, MiB', spread(growth, 0), '≤ 50'),
      ]
    },
    takesSeconds: ({ rounds, most, trafficSeconds }) =>
      20 + most / 5000 + rounds * (most / 15_000 + 2 * trafficSeconds),
    profiled: ['export-web'],
  },
}
