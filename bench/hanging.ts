import { withDatabase } from './copies.ts'
import { addEndpoint, type Merchant, makeMerchants } from './merchants.ts'
import { type Waits, waitsOf } from './percentile.ts'
import { alternate, type Bench, type Pair } from './rounds.ts'
import type { Stream } from './steady.ts'
import { waitForCount } from './wait-for.ts'
import { actSteadily, startService } from './web-and-worker.ts'
import { startWitness, waitsAfter } from './witness.ts'

const PER_SECOND = 20
const WARM_UP_SECONDS = 10
const ALONE_SECONDS = 20
/** Longer than the timeout of an attempt (30 s), so that hung attempts end and others take their slots. */
const HANGING_SECONDS = 40
/** The most endpoints that a business may have. */
const ENDPOINTS = 5
/** The events for each endpoint of the other business before it hangs. */
const goodEvents = { perSecond: 50, seconds: 2 }
/** The events for each of them when it begins to hang: 150 within half a second, before any attempt is slow. */
const hungEvents = { perSecond: 300, seconds: 0.5 }
const eventsOfAnother = goodEvents.perSecond * goodEvents.seconds + hungEvents.perSecond * hungEvents.seconds

/**
 * Measures the time from the response of a create to its first attempt at one endpoint. In `service`, five endpoints of
 * another business hang after they responded normally. In `bare`, there is no other business. Each round has new
 * endpoints.
 */
export async function measureHanging(bench: Bench): Promise<Pair<Waits>[]> {
  const witness = await startWitness(bench.runtime, 'hanging-endpoints', 1 + bench.rounds * ENDPOINTS)
  const service = await startService(bench, 'hanging', { WEBHOOK_ALLOWED_HOSTS: witness.allowedHosts })
  const merchants = await makeMerchants(service.mongodbUrl, service.secretKey, 1 + bench.rounds, 'test')
  const [measured, ...others] = merchants as [Merchant, ...Merchant[]]
  const [ownPort = 0, ...otherPorts] = witness.ports
  await addEndpoint(service.webUrl, measured, witness.urlOf(ownPort), ['payment.created'])
  const own: Stream = { perSecond: PER_SECOND, apiKeys: [measured.apiKey] }
  const create = async (seconds: number, streams: Stream[], each: number): Promise<number[]> => {
    const creates = await actSteadily(bench, service.webUrls, seconds, streams)
    return waitsAfter(
      witness,
      creates.filter(({ stream }) => stream === 0),
      each,
    )
  }
  const alone = async (): Promise<Waits> => {
    const waits = await create(ALONE_SECONDS, [own], 1)
    await witness.forget()
    return waitsOf(waits)
  }
  const pairs = await withDatabase(service.mongodbUrl, async (database) => {
    const beside = async (): Promise<Waits> => {
      const other = others.shift() as Merchant
      const ports = otherPorts.splice(0, ENDPOINTS)
      for (const port of ports) await addEndpoint(service.webUrl, other, witness.urlOf(port), ['payment.created'])
      await create(goodEvents.seconds, [{ ...goodEvents, apiKeys: [other.apiKey] }], ENDPOINTS)
      await witness.forget()
      for (const port of ports) await witness.behave(port, 'hangs')
      const waits = await create(HANGING_SECONDS, [own, { ...hungEvents, apiKeys: [other.apiKey] }], 1)
      console.log(`  ${(await witness.seen()).hanging} attempts were open at the end`)
      // This also responds to the open attempts.
      for (const port of ports) await witness.behave(port, 'responds')
      const { businessId } = other
      const delivered = { businessId, status: 'DELIVERED' }
      await waitForCount('deliveries after they hung', ENDPOINTS * eventsOfAnother, () =>
        database.collection('deliveries').countDocuments(delivered),
      )
      await witness.forget()
      return waitsOf(waits)
    }
    await create(WARM_UP_SECONDS, [own], 1)
    await witness.forget()
    return alternate(bench.rounds, beside, alone)
  })
  await service.end()
  await witness.end()
  return pairs
}
