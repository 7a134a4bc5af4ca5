import { waitsAfter } from './arrivals.ts'
import { alternate, type Bench, type Benchmark, type Line, type Pair } from './benchmark.ts'
import type { Merchant } from './calls.ts'
import { actSteadily, type Setting, withService } from './setting.ts'
import type { Stream } from './steady.ts'
import { comparedLine, figureLine } from './table.ts'
import { percentile, type Waits, waitsOf } from './times.ts'
import { waitFor } from './wait-for.ts'

const BUSINESSES = 100
const QUIET_PER_SECOND = 20
const NOISY_PER_SECOND = 180
const PHASE_SECONDS = 20
/** Long enough that the first hung attempts time out (30 s), wait (30 s) and hang again. */
const HANGING_SECONDS = 75
const SLICE_SECONDS = 15

/** First attempts of 99 quiet businesses beside a noisy one, and with as many creates spread evenly over all 100. */
export const noisy: Benchmark = {
  describe: () =>
    '20 events/s of 99 businesses beside one with 180/s ÷ 200/s spread evenly over all 100, from the response of the create to the first attempt; ' +
    `${PHASE_SECONDS} s in turns, then ${HANGING_SECONDS} s while its endpoint hangs`,
  takesSeconds: ({ rounds }) => 30 + rounds * 2 * (PHASE_SECONDS + 2) + HANGING_SECONDS,
  measure(bench) {
    const wanted = { merchants: BUSINESSES, endpoints: BUSINESSES, events: ['payment.created' as const] }
    return withService(bench, 'noisy', wanted, async (setting) => {
      const { arrivals, merchants } = setting
      const [loud, ...quiet] = merchants as [Merchant, ...Merchant[]]
      const keysOf = (owners: Merchant[]) => owners.map(({ apiKey }) => apiKey)
      const quietly: Stream = { perSecond: QUIET_PER_SECOND, apiKeys: keysOf(quiet) }
      const noisily: Stream = { perSecond: NOISY_PER_SECOND, apiKeys: [loud.apiKey] }
      const evenly: Stream = { perSecond: QUIET_PER_SECOND + NOISY_PER_SECOND, apiKeys: keysOf(merchants) }
      const spread = (seconds: number) => phase(bench, setting, seconds, [evenly])
      await spread(10)
      const pairs = await alternate(
        bench.rounds,
        () => phase(bench, setting, PHASE_SECONDS, [quietly, noisily]),
        () => spread(PHASE_SECONDS),
      )
      await arrivals.behave(arrivals.ports[0] ?? 0, 'hangs')
      const hanging = await phase(bench, setting, HANGING_SECONDS, [quietly, noisily], 1)
      console.log(`  ${(await arrivals.seen()).hanging} attempts were open at the end`)
      await nothingLost(setting, loud)
      const lastPair = pairs.slice(-1).map(({ bare }) => ({ service: hanging, bare }))
      return [...phaseLines('noisy', pairs), ...phaseLines('  while its endpoint hangs', lastPair)]
    })
  },
}

const phaseLines = (what: string, pairs: Pair<Waits>[]): Line[] => [
  comparedLine(`${what}: p99, ms`, pairs, ({ p99 }) => p99, '≤ 1.5'),
  figureLine('    p50, ms', pairs, ({ p50 }) => p50),
  figureLine('    worst, ms', pairs, ({ max }) => max),
]

async function phase(
  bench: Bench,
  { service, arrivals }: Setting,
  seconds: number,
  streams: Stream[],
  awaited = streams.length,
): Promise<Waits> {
  const creates = await actSteadily(bench, service.origins, seconds, streams)
  const measured = creates.filter(({ stream }) => stream < awaited)
  const all = await waitsAfter(arrivals, measured, 1)
  const waits = all.filter((_wait, index) => measured[index]?.stream === 0)
  const inSlice = Math.ceil((waits.length / seconds) * SLICE_SECONDS)
  const slices = Array.from({ length: Math.ceil(waits.length / inSlice) }, (_, index) =>
    percentile(waits.slice(index * inSlice, (index + 1) * inSlice), 0.99).toFixed(1),
  )
  console.log(`  p99 of ${waits.length} events in slices of ${SLICE_SECONDS} s: ${slices.join(', ')} ms`)
  return waitsOf(waits)
}

/** Waits until every event that the hanging endpoint didn't get is in MongoDB. */
async function nothingLost({ database }: Setting, { businessId }: Merchant): Promise<void> {
  const count = (collection: string) => database.collection(collection).countDocuments({ businessId })
  await waitFor(
    'a delivery of each event',
    async () => (await count('deliveries')) === (await count('intents')),
  )
}
