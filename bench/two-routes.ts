import { randomBytes } from 'node:crypto'
import type { mongo } from 'mongoose'
import type { Intent } from '../src/intents/intent.ts'
import { addCopies, ownOf, takeSample } from './copies.ts'
import { makeMerchants } from './merchants.ts'
import { order } from './order.ts'
import type { Call } from './requests.ts'
import type { Bench } from './rounds.ts'
import { startServing, startWeb } from './web.ts'

const MERCHANTS = 20

/** `web` and a bare route on the same MongoDB, each with its own payments. */
export interface TwoRoutes {
  service: string
  bare: string
  /** Adds intents of the merchants. Returns calls of their paths followed by `suffix`. */
  addIntents(count: number, method: Call['method'], suffix: string): Promise<Call[]>
  /** Does the same for the bare route. */
  addBare(count: number, method: Call['method'], suffix: string): Promise<Call[]>
  end(): Promise<void>
}

/** Starts both. `name`: for the database and the processes. `script`: the bare route. */
export async function startTwoRoutes(
  bench: Bench,
  database: mongo.Db,
  name: string,
  script: string,
): Promise<TwoRoutes> {
  const mongodbUrl = bench.mongodbUrl(name)
  const secretKey = randomBytes(32)
  const merchants = await makeMerchants(mongodbUrl, secretKey, MERCHANTS, 'test')
  const web = await startWeb(bench, { name: `${name}-web`, mongodbUrl, secretKey })
  const bare = await startServing(bench, `bare-${name}-route`, script, { MONGODB_URL: mongodbUrl })
  const [first] = merchants
  if (first === undefined) throw new Error('No merchant was created')
  const sample = await takeSample(database, web.origin, first, false)
  await database.collection('bare').createIndex({ reference: 1 }, { unique: true })
  return {
    service: web.origin,
    bare: bare.origin,
    async addIntents(count, method, suffix) {
      const calls: Call[] = []
      await addCopies<Intent>(database.collection('intents'), count, (index) => {
        const { businessId, apiKey } = merchants.at(index % MERCHANTS) ?? first
        const own = ownOf()
        calls.push({ method, path: `/api/v1/dev/intents/${own.referenceNumber}${suffix}`, apiKey })
        return { ...sample, ...own, businessId }
      })
      return calls
    },
    async addBare(count, method, suffix) {
      const calls: Call[] = []
      await addCopies(database.collection('bare'), count, () => {
        const { _id, referenceNumber: reference } = ownOf()
        calls.push({ method, path: `/${reference}${suffix}`, apiKey: 'none' })
        const { createdAt, updatedAt, expiresAt } = sample
        return {
          _id,
          reference,
          status: 'PENDING',
          ...order,
          currency: 'MRU',
          createdAt,
          updatedAt,
          expiresAt,
        }
      })
      return calls
    },
    end: async () => void (await Promise.all([web.end(), bare.end()])),
  }
}
