import { waitsAfter } from './arrivals.ts'
import { alternate, type Bench, type Benchmark } from './benchmark.ts'
import type { Merchant } from './calls.ts'
import { addEndpoint, makeMerchants } from './merchants.ts'
import { actSteadily, createSteadily, type Setting, withService } from './setting.ts'
import { figureLine, waitLines } from './table.ts'
import { type Waits, waitsOf } from './times.ts'
import { waitForCount } from './wait-for.ts'

const PER_SECOND = 20
const ALONE_SECONDS = 20
/** Longer than an attempt's timeout (30 s), so that hung attempts end and others take their slots. */
const HANGING_SECONDS = 40
const ENDPOINTS = 5
/** For each endpoint of the other business, before it hangs. */
const goodEvents = { perSecond: 50, seconds: 2 }
/** For each of them as it begins to hang: 150 within half a second, before any attempt is slow. */
const hungEvents = { perSecond: 300, seconds: 0.5 }
const eventsOfAnother = goodEvents.perSecond * goodEvents.seconds + hungEvents.perSecond * hungEvents.seconds

/**
 * From a create's response to its first attempt: beside another business, whose five endpoints hang after having
 * responded normally, and alone. Each round has new endpoints.
 */
export const hanging: Benchmark = {
  describe: () =>
    '20 events/s of one endpoint, from the response of the create to the first attempt, beside five endpoints of another business that were good and ' +
    'hang under 150 events ÷ alone; 40 s and 20 s in turns',
  takesSeconds: ({ rounds }) => 20 + rounds * 95,
  measure(bench) {
    const wanted = { endpoints: 1 + bench.rounds * ENDPOINTS }
    return withService(bench, 'hanging', wanted, async (setting) => {
      const { service, arrivals, merchants } = setting
      const [ownUrl, ...otherUrls] = arrivals.urls
      await addEndpoint(service, merchants[0], ownUrl, ['payment.created'])
      const alone = async (seconds: number): Promise<Waits> => {
        const creates = await createSteadily(bench, service, seconds, PER_SECOND, merchants)
        return waitsOf(await waitsAfter(arrivals, creates, 1))
      }
      await alone(10)
      const others = await makeMerchants(service, bench.rounds)
      const pairs = await alternate(
        bench.rounds,
        () => besideHanging(bench, setting, others.shift() as Merchant, otherUrls.splice(0, ENDPOINTS)),
        () => alone(ALONE_SECONDS),
      )
      return [...waitLines('hanging', pairs, '≤ 2'), figureLine('  worst, ms', pairs, ({ max }) => max)]
    })
  },
}

async function besideHanging(
  bench: Bench,
  setting: Setting,
  other: Merchant,
  urls: string[],
): Promise<Waits> {
  const { service, arrivals, merchants, database } = setting
  const ports = urls.map((url) => Number(new URL(url).port))
  for (const url of urls) await addEndpoint(service, other, url, ['payment.created'])
  const good = await createSteadily(bench, service, goodEvents.seconds, goodEvents.perSecond, [other])
  await waitsAfter(arrivals, good, ENDPOINTS)
  for (const port of ports) await arrivals.behave(port, 'hangs')
  const creates = await actSteadily(bench, service.origins, HANGING_SECONDS, [
    { perSecond: PER_SECOND, apiKeys: merchants.map(({ apiKey }) => apiKey) },
    { ...hungEvents, apiKeys: [other.apiKey] },
  ])
  const own = creates.filter(({ stream }) => stream === 0)
  const { hanging: open } = await arrivals.seen()
  const waits = await waitsAfter(arrivals, own, 1)
  console.log(`  ${open} attempts were open at the end`)
  // This also responds to the open attempts.
  for (const port of ports) await arrivals.behave(port, 'responds')
  const delivered = { businessId: other.businessId, status: 'DELIVERED' }
  await waitForCount('deliveries after they hung', ENDPOINTS * eventsOfAnother, () =>
    database.collection('deliveries').countDocuments(delivered),
  )
  await arrivals.forget()
  return waitsOf(waits)
}
