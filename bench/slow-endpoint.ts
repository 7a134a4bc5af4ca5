import { waitsAfter } from './arrivals.ts'
import type { Benchmark } from './benchmark.ts'
import { addEndpoint, makeMerchants } from './merchants.ts'
import { createSteadily, withService } from './setting.ts'
import { aloneLine, spread } from './table.ts'
import { type Waits, waitsOf } from './times.ts'
import { allRecorded } from './wait-for.ts'

const PER_SECOND = 10
const SECONDS = 60

/** How late events reach a slow endpoint, from its first event. Each round has a new business and endpoint. */
export const slowEndpoint: Benchmark = {
  describe: () =>
    '10 events/s to an endpoint that takes 3 s for each, from the response of the create to the first attempt; all 60 s',
  takesSeconds: ({ rounds }) => 10 + rounds * 66,
  async measure(bench) {
    const measured: Waits[] = []
    await withService(bench, 'slow-endpoint', { endpoints: bench.rounds }, async (setting) => {
      const { service, arrivals, database } = setting
      for (const [round, merchant] of (await makeMerchants(service, bench.rounds)).entries()) {
        await arrivals.behave(arrivals.ports[round] ?? 0, 'slow')
        await addEndpoint(service, merchant, arrivals.urls[round], ['payment.created'])
        const creates = await createSteadily(bench, service, SECONDS, PER_SECOND, [merchant])
        measured.push(waitsOf(await waitsAfter(arrivals, creates, 1)))
      }
      await allRecorded(database, bench.rounds * SECONDS * PER_SECOND)
    })
    const line = (what: string, figure: (waits: Waits) => number, aim = '') =>
      aloneLine(what, spread(measured.map(figure), 0), aim)
    return [
      line('slow-endpoint: p90, ms', ({ p90 }) => p90, '≤ 2000 ms'),
      line('  p50, ms', ({ p50 }) => p50),
      line('  worst, ms', ({ max }) => max),
    ]
  },
}
