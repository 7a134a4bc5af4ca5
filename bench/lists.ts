import { randomBytes } from 'node:crypto'
import type { Intent } from '../src/intents/intent.ts'
import { addCopies, ownOf, takeSample, withDatabase } from './copies.ts'
import { makeMerchants } from './merchants.ts'
import { percentile } from './percentile.ts'
import { alternate, type Bench, type Pair } from './rounds.ts'
import { sendRefusableCalls } from './send-calls.ts'
import { startWeb } from './web.ts'
import { actSteadily, responseMs } from './web-and-worker.ts'

const PER_SECOND = 50
const LISTERS = 60
const PENDING = 40_000
const WARM_UP_SECONDS = 5
const HOUR_MS = 3_600_000

/**
 * Milliseconds of the creates of one merchant, and the lists of another merchant that were served and refused per
 * second.
 */
export interface BesideLists {
  p50: number
  p99: number
  listed: number
  refused: number
}

/**
 * Creates at a steady rate for a live merchant: alternately beside clients that list the PENDING intents of another
 * merchant (`service`), and alone (`bare`).
 */
export async function measureLists(bench: Bench): Promise<Pair<BesideLists>[]> {
  const mongodbUrl = bench.mongodbUrl('lists')
  const secretKey = randomBytes(32)
  const [lister] = await makeMerchants(mongodbUrl, secretKey, 1, 'test')
  const [creator] = await makeMerchants(mongodbUrl, secretKey, 1, 'live')
  if (lister === undefined || creator === undefined) throw new Error('No merchant was created')
  const web = await startWeb(bench, { name: 'lists-web', mongodbUrl, secretKey })
  const { origin } = web
  await withDatabase(mongodbUrl, async (database) => {
    const sample = await takeSample(database, origin, lister, false)
    const newest = Date.now()
    await addCopies<Intent>(database.collection('intents'), PENDING, (nth) => {
      const createdAt = new Date(newest - (nth / PENDING) * HOUR_MS)
      return { ...sample, ...ownOf(), createdAt }
    })
  })
  const create = async (seconds: number): Promise<BesideLists> => {
    const streams = [{ perSecond: PER_SECOND, apiKeys: [creator.apiKey] }]
    const waits = responseMs(await actSteadily(bench, [origin], seconds, streams))
    return { p50: percentile(waits, 0.5), p99: percentile(waits, 0.99), listed: 0, refused: 0 }
  }
  const list = async (seconds: number): Promise<Pick<BesideLists, 'listed' | 'refused'>> => {
    const calls = [{ method: 'GET' as const, path: '/api/v1/dev/intents?status=PENDING', apiKey: lister.apiKey }]
    const options = { origin, calls, connections: LISTERS, seconds, eachOnce: false }
    const { sent, failed } = await sendRefusableCalls(bench.runtime, options)
    if (sent === failed) throw new Error('Every list was refused')
    return { listed: (sent - failed) / seconds, refused: failed / seconds }
  }
  const beside = async (): Promise<BesideLists> => {
    // The lists begin before the creates and end after them.
    const listing = list(bench.trafficSeconds + 4)
    await create(2)
    const created = await create(bench.trafficSeconds)
    return { ...created, ...(await listing) }
  }
  const alone = async (): Promise<BesideLists> => {
    await create(2)
    return create(bench.trafficSeconds)
  }
  await create(WARM_UP_SECONDS)
  await list(2)
  const pairs = await alternate(bench.rounds, beside, alone)
  await web.end()
  return pairs
}
