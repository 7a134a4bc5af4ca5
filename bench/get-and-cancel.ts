import type { mongo } from 'mongoose'
import type { Intent } from '../src/intents/intent.ts'
import { alternateFor, type Bench, type Benchmark, type Line } from './benchmark.ts'
import { order } from './calls.ts'
import { addCopies, ownOf, takeSample } from './copies.ts'
import type { Call, Timed } from './requests.ts'
import { sendCalls, sendOnce } from './send-calls.ts'
import { createPath, inProduction, startBare, withService } from './setting.ts'
import { rateLines } from './table.ts'

const MERCHANTS = 20
const INTENTS = 20_000
const MAX_CANCELS_PER_SECOND = 7000

interface Sides {
  database: mongo.Db
  service: string
  bare: string
  addIntents(count: number): Promise<Call[]>
  addBare(count: number): Promise<Call[]>
}

export const get: Benchmark = {
  describe: ({ seconds }) =>
    'GET /dev/intents/{reference} of one `web` ÷ a bare Express 5 route with one findOne by an indexed field; ' +
    `64 connections, 20 000 intents, ${seconds} s in turns`,
  takesSeconds: ({ rounds, seconds }) => 15 + rounds * 2 * (seconds + 1),
  measure: (bench) =>
    withSides(bench, 'get', { method: 'GET', suffix: '' }, async ({ service, bare, addIntents, addBare }) => {
      const read = (origin: string, calls: Call[]) => (seconds: number) =>
        sendCalls(bench.runtime, { origin, calls, connections: 64, seconds, eachOnce: false })
      const seconds = { warmUp: 2, measured: bench.seconds }
      const onService = read(service, await addIntents(INTENTS))
      const pairs = await alternateFor(bench, seconds, onService, read(bare, await addBare(INTENTS)))
      return rateLines('get, requests/s', pairs, '')
    }),
}

/** Each intent is cancelled once. */
export const cancel: Benchmark = {
  describe: ({ seconds }) =>
    'POST …/cancel of one `web` ÷ a bare Express 5 route with one guarded findOneAndUpdate; both w:majority j:true, ' +
    `64 connections, each intent once, ${seconds} s in turns`,
  takesSeconds: ({ rounds, seconds }) => 15 + rounds * 2 * (2 * seconds + 1),
  measure: (bench) =>
    withSides(bench, 'cancel', { method: 'POST', suffix: '/cancel' }, async (sides) => {
      let sent = 0
      const onService = sendOnce(bench.runtime, sides.service, MAX_CANCELS_PER_SECOND, sides.addIntents)
      const counted = async (seconds: number): Promise<Timed> => {
        const timed = await onService(seconds)
        sent += timed.sent
        return timed
      }
      const onBare = sendOnce(bench.runtime, sides.bare, MAX_CANCELS_PER_SECOND, sides.addBare)
      const pairs = await alternateFor(bench, { warmUp: 2, measured: bench.seconds }, counted, onBare)
      const cancelled = await sides.database.collection('intents').countDocuments({ status: 'CANCELLED' })
      if (cancelled !== sent)
        throw new Error(`${sent} cancels were sent, and ${cancelled} intents are CANCELLED`)
      return rateLines('cancel, requests/s', pairs, '≥ 0.7')
    }),
}

const withSides = (
  bench: Bench,
  name: string,
  { method, suffix }: { method: Call['method']; suffix: string },
  use: (sides: Sides) => Promise<Line[]>,
): Promise<Line[]> =>
  withService(
    bench,
    name,
    { environment: inProduction, merchants: MERCHANTS, worker: false },
    async (setting) => {
      const { service, merchants, database } = setting
      const bare = await startBare(bench, name, name)
      const sample = await takeSample(setting)
      await database.collection('bare').createIndex({ reference: 1 }, { unique: true })
      const lines = await use({
        database,
        service: service.web.origin,
        bare: bare.origin,
        async addIntents(count) {
          const calls: Call[] = []
          await addCopies<Intent>(database.collection('intents'), count, (index) => {
            const { businessId = '', apiKey = '' } = merchants.at(index % MERCHANTS) ?? {}
            const own = ownOf()
            calls.push({ method, path: `${createPath}/${own.referenceNumber}${suffix}`, apiKey })
            return { ...sample, ...own, businessId }
          })
          return calls
        },
        async addBare(count) {
          const calls: Call[] = []
          const { createdAt, updatedAt, expiresAt } = sample
          await addCopies(database.collection('bare'), count, () => {
            const { _id, referenceNumber: reference } = ownOf()
            calls.push({ method, path: `/${reference}${suffix}`, apiKey: 'none' })
            const times = { createdAt, updatedAt, expiresAt }
            return { _id, reference, status: 'PENDING', ...order, currency: 'MRU', ...times }
          })
          return calls
        },
      })
      await bare.end()
      return lines
    },
  )
