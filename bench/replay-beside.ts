import type { mongo } from 'mongoose'
import type { LoggedEvent } from '../src/events/log.ts'
import type { Intent } from '../src/intents/intent.ts'
import { newId } from '../src/platform/ids.ts'
import type { Delivery } from '../src/webhooks/deliveries/delivery.ts'
import { makeDeliveryId } from '../src/webhooks/deliveries/delivery.ts'
import { waitsAfter } from './arrivals.ts'
import { alternate, type Bench, type Benchmark } from './benchmark.ts'
import { type Merchant, openApi } from './calls.ts'
import { addCopies, ownOf } from './copies.ts'
import type { Options } from './options.ts'
import { actSteadily, responseMs, type Setting, withService } from './setting.ts'
import { comparedLine, figureLine } from './table.ts'
import { type Waits, waitsOf } from './times.ts'
import { firstDelivered, waitFor } from './wait-for.ts'

/** Creates per second of each of the two merchants. */
const PER_SECOND = 25
/** A replay must not end before its side of the round. */
const MIN_EVENTS = 20_000
const EVENTS_PER_INTENT = 100
const HOUR_MS = 3_600_000

type Latency = Record<'create' | 'attempt', Waits>

/** For the merchant whose events are replayed, and for another one. */
interface BesideReplay {
  same: Latency
  other: Latency
  replayedPerSecond: number
}

const eventsOf = ({ most }: Options): number => Math.max(most / 10, MIN_EVENTS)

/**
 * Two merchants with one endpoint each create at a steady rate: alternately beside a replay of one's past events to the
 * same endpoint, and alone. Half of the past events have a delivery.
 */
export const replayBeside: Benchmark = {
  describe: (options) =>
    `25 creates/s of a merchant beside a replay of ${eventsOf(options)} of its past events to the same endpoint ÷ alone, and 25 of another merchant; ` +
    `${options.trafficSeconds} s in turns`,
  takesSeconds: (options) =>
    25 + eventsOf(options) / 5000 + options.rounds * (2 * options.trafficSeconds + 5),
  async measure(bench) {
    const wanted = { merchants: 2, endpoints: 2, mode: 'live' as const, events: ['payment.created' as const] }
    const pairs = await withService(bench, 'replay-beside', wanted, async (setting) => {
      const { merchants, database, service } = setting
      await create(bench, setting, 10)
      const endpointId = await addPast(database, merchants.at(0) as Merchant, eventsOf(bench))
      const api = openApi(service.web.origin)
      const measured = await alternate(
        bench.rounds,
        () => beside(bench, setting, api, endpointId),
        async () => ({ ...(await create(bench, setting, bench.trafficSeconds)), replayedPerSecond: 0 }),
      )
      await api.close()
      return measured
    })
    const lines = (whose: 'same' | 'other', prefix: string) =>
      (['create', 'attempt'] as const).flatMap((kind) => {
        const what = kind === 'create' ? 'the create' : 'the time from its response to the first attempt'
        return [
          comparedLine(`${prefix}p99 of ${what}, ms`, pairs, (each) => each[whose][kind].p99, '≤ 1.5'),
          comparedLine('  p50', pairs, (each) => each[whose][kind].p50, '≤ 1.5'),
        ]
      })
    return [
      ...lines('same', 'replay-beside: '),
      ...lines('other', '  of another merchant: '),
      figureLine('  replayed events/s', pairs, ({ replayedPerSecond }) => replayedPerSecond),
    ]
  },
}

async function create(bench: Bench, { service, arrivals, merchants }: Setting, seconds: number) {
  const streams = merchants.map(({ apiKey }) => ({ perSecond: PER_SECOND, apiKeys: [apiKey] }))
  const creates = await actSteadily(bench, service.origins, seconds, streams)
  const attempts = await waitsAfter(arrivals, creates, 1)
  const latencyOf = (stream: number): Latency => ({
    create: waitsOf(responseMs(creates.filter((each) => each.stream === stream))),
    attempt: waitsOf(attempts.filter((_wait, index) => creates[index]?.stream === stream)),
  })
  return { same: latencyOf(0), other: latencyOf(1) }
}

async function beside(bench: Bench, setting: Setting, api: Api, endpointId: string): Promise<BesideReplay> {
  const { merchants, database, arrivals } = setting
  const [replayed] = merchants
  const path = `/webhooks/endpoints/${endpointId}/replay`
  const period = { from: new Date(0), to: new Date(Date.now() - HOUR_MS / 2) }
  const { id } = await api.post<{ id: string }>(replayed, path, period)
  const replays = database.collection<Replay>('webhookreplays')
  const done = async (): Promise<number> => {
    const replay = await replays.findOne({ _id: id })
    if (replay?.status !== 'RUNNING') throw new Error('The replay ended too early. Increase --most')
    return replay.requeued + replay.created
  }
  await waitFor('the replay to begin', async () => (await done()) > 0)
  const [before, startedAt] = [await done(), performance.now()]
  const measured = await create(bench, setting, bench.trafficSeconds)
  const replayedPerSecond = ((await done()) - before) / ((performance.now() - startedAt) / 1000)
  await api.post(replayed, `${path}s/${id}/cancel`, {})
  const due = { endpointId, nextAttemptAt: { $ne: null } }
  await waitFor(
    'the last attempts',
    async () => (await database.collection('deliveries').countDocuments(due)) === 0,
  )
  await arrivals.forget()
  return { ...measured, replayedPerSecond }
}

type Api = ReturnType<typeof openApi>

interface Replay {
  _id: string
  status: string
  requeued: number
  created: number
}

/**
 * Adds past events to a merchant's log, after the existing ones, as copies of the service's own documents. Every other
 * event has a DELIVERED delivery. Returns the id of the merchant's endpoint.
 */
async function addPast(database: mongo.Db, { businessId }: Merchant, count: number): Promise<string> {
  const events = database.collection<LoggedEvent>('events')
  const intents = database.collection<Intent>('intents')
  const delivery = await firstDelivered(database, businessId)
  const last = await events.findOne({ businessId }, { sort: { number: -1 } })
  const intent = await intents.findOne({ referenceNumber: last?.referenceNumber ?? '' })
  if (last === null || intent === null) throw new Error('There is nothing to copy')
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
  await addCopies<Delivery>(database.collection('deliveries'), Math.floor(count / 2), (index) => {
    const { _id, referenceNumber, createdAt } = past[2 * index] ?? last
    return { ...delivery, _id: makeDeliveryId(_id, endpointId), referenceNumber, createdAt }
  })
  return endpointId
}
