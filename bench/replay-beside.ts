import type { mongo } from 'mongoose'
import type { LoggedEvent } from '../src/events/logged-event.ts'
import type { Intent } from '../src/intents/intent.ts'
import { newId } from '../src/platform/ids.ts'
import type { Delivery } from '../src/webhooks/deliveries/delivery.ts'
import { deliveryId } from '../src/webhooks/deliveries/delivery-job.ts'
import { openApi } from './calls.ts'
import { addCopies, ownOf, withDatabase } from './copies.ts'
import { addEndpoint, type Merchant, makeMerchants } from './merchants.ts'
import { percentile } from './percentile.ts'
import { alternate, type Bench, type Pair } from './rounds.ts'
import type { Sent } from './steady.ts'
import { waitFor } from './wait-for.ts'
import { actSteadily, responseMs, startService } from './web-and-worker.ts'
import { startWitness, waitsAfter } from './witness.ts'

/** Creates per second of each of the two merchants. */
const PER_SECOND = 25
const WARM_UP_SECONDS = 10
/** A replay must not end before its side of the round. */
const MIN_EVENTS = 20_000
/** The number of past events of one payment. */
const EVENTS_PER_INTENT = 100
const HOUR_MS = 3_600_000

/** The p50 and p99 of a create and of the time from its response to the first attempt, in milliseconds. */
export type Latency = Record<`${'create' | 'attempt'}${50 | 99}`, number>

/** The latencies of the merchant whose events are replayed, and of another one. */
export interface BesideReplay {
  same: Latency
  other: Latency
  replayedPerSecond: number
}

/** The number of events to replay. */
export const eventsOf = ({ most }: Pick<Bench, 'most'>): number => Math.max(most / 10, MIN_EVENTS)

/**
 * Creates at a steady rate for two merchants with one endpoint each: alternately beside a replay of one merchant's past
 * events to the same endpoint (`service`), and alone (`bare`). Half of the past events have a delivery.
 */
export async function measureReplayBeside(bench: Bench): Promise<Pair<BesideReplay>[]> {
  const witness = await startWitness(bench.runtime, 'replay-beside-endpoints', 2)
  const service = await startService(bench, 'replay-beside', { WEBHOOK_ALLOWED_HOSTS: witness.allowedHosts })
  const merchants = await makeMerchants(service.mongodbUrl, service.secretKey, 2, 'live')
  for (const [index, merchant] of merchants.entries())
    await addEndpoint(service.webUrl, merchant, witness.urlOf(witness.ports[index] ?? 0), ['payment.created'])
  const [replayed] = merchants
  if (replayed === undefined) throw new Error('No merchant was created')
  const streams = merchants.map(({ apiKey }) => ({ perSecond: PER_SECOND, apiKeys: [apiKey] }))
  const create = async (seconds: number): Promise<Omit<BesideReplay, 'replayedPerSecond'>> => {
    const creates = await actSteadily(bench, service.webUrls, seconds, streams)
    const latencyOf = async (stream: number): Promise<Latency> => {
      const own = creates.filter((each) => each.stream === stream)
      return latency(own, await waitsAfter(witness, own, 1))
    }
    const [same, other] = [await latencyOf(0), await latencyOf(1)]
    await witness.forget()
    return { same, other }
  }
  const pairs = await withDatabase(service.mongodbUrl, async (database) => {
    await create(WARM_UP_SECONDS)
    const endpointId = await addPast(database, replayed, eventsOf(bench))
    const replays = database.collection<{ _id: string; status: string; requeued: number; created: number }>(
      'webhookreplays',
    )
    const api = openApi(Number(new URL(service.webUrl).port))
    const path = `/webhooks/endpoints/${endpointId}/replay`
    const beside = async (): Promise<BesideReplay> => {
      const period = { from: new Date(0), to: new Date(Date.now() - HOUR_MS / 2) }
      const { id } = (await api.post(replayed, path, period)) as { id: string }
      const done = async (): Promise<number> => {
        const replay = await replays.findOne({ _id: id })
        if (replay?.status !== 'RUNNING') throw new Error('The replay ended too early. Increase --most')
        return replay.requeued + replay.created
      }
      await waitFor('the replay to begin', async () => (await done()) > 0)
      const [before, startedAt] = [await done(), performance.now()]
      const measured = await create(bench.trafficSeconds)
      const replayedPerSecond = ((await done()) - before) / ((performance.now() - startedAt) / 1000)
      await api.post(replayed, `${path}s/${id}/cancel`, {})
      const deliveries = database.collection('deliveries')
      const due = { endpointId, nextAttemptAt: { $ne: null } }
      await waitFor('the last attempts', async () => (await deliveries.countDocuments(due)) === 0)
      await witness.forget()
      return { ...measured, replayedPerSecond }
    }
    const alone = async () => ({ ...(await create(bench.trafficSeconds)), replayedPerSecond: 0 })
    const measured = await alternate(bench.rounds, beside, alone)
    await api.close()
    return measured
  })
  await service.end()
  await witness.end()
  return pairs
}

function latency(creates: Sent[], waits: number[]): Latency {
  const responses = responseMs(creates)
  return {
    create50: percentile(responses, 0.5),
    create99: percentile(responses, 0.99),
    attempt50: percentile(waits, 0.5),
    attempt99: percentile(waits, 0.99),
  }
}

/**
 * Adds past events of a merchant to the log, after those that it has. Documents of the service are
 * copied. Every other event has a DELIVERED delivery. Returns the id of the merchant's endpoint.
 */
async function addPast(database: mongo.Db, { businessId }: Merchant, count: number): Promise<string> {
  const events = database.collection<LoggedEvent>('events')
  const deliveries = database.collection<Delivery>('deliveries')
  const intents = database.collection<Intent>('intents')
  const delivered = { businessId, status: 'DELIVERED', leaseToken: null } as const
  await waitFor('a delivery', async () => (await deliveries.findOne(delivered)) !== null)
  const [delivery, last] = await Promise.all([
    deliveries.findOne(delivered),
    events.findOne({ businessId }, { sort: { number: -1 } }),
  ])
  const intent = await intents.findOne({ referenceNumber: last?.referenceNumber ?? '' })
  if (delivery === null || last === null || intent === null) throw new Error('There is nothing to copy')
  const { codeKey: _codeKey, referenceKey: _referenceKey, requestKey: _requestKey, ...rest } = intent
  const owns = Array.from({ length: Math.ceil(count / EVENTS_PER_INTENT) }, ownOf)
  await addCopies(intents, owns.length, (index) => ({ ...rest, ...owns[index], marks: [] }))
  const past = Array.from({ length: count }, (_, index) => ({
    _id: newId(),
    referenceNumber: owns[index % owns.length]?.referenceNumber ?? '',
    createdAt: new Date(Date.now() - HOUR_MS - count + index),
  }))
  await addCopies<LoggedEvent>(events, count, (index) => ({
    ...last,
    ...past[index],
    number: last.number + 1 + index,
  }))
  const { endpointId } = delivery
  await addCopies<Delivery>(deliveries, Math.floor(count / 2), (index) => {
    const { _id, referenceNumber, createdAt } = past[2 * index] ?? last
    return { ...delivery, _id: deliveryId(_id, endpointId), referenceNumber, createdAt }
  })
  return endpointId
}
