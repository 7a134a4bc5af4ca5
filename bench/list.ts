import { randomBytes } from 'node:crypto'
import type { Intent } from '../src/intents/intent.ts'
import { addCopies, ownOf, takeSample, withDatabase } from './copies.ts'
import { makeMerchants } from './merchants.ts'
import type { Bench } from './rounds.ts'
import { sendCalls } from './send-calls.ts'
import { startWeb } from './web.ts'

/** The load of a merchant's server and a person or two. */
const CONNECTIONS = 2
/** The age of the oldest intent. */
const DAYS = 90
const DAY_MS = 86_400_000
/** What is read, and the aim for the longest list. All intents are PAID, so a filter by status finds the whole list. */
const reads = [
  { what: 'page 1', query: 'page=1', aim: '≤ 1.5' },
  { what: 'page 1000', query: 'page=1000', aim: '≤ 5' },
  { what: 'page 1 of status PAID', query: 'page=1&status=PAID', aim: '' },
] as const

/** The milliseconds of each round, by the number of intents of the merchant. */
type ByCount = Map<number, number[]>

export interface ListTimes {
  /** The p95 of each page. */
  pages: { what: string; aim: string; byCount: ByCount }[]
  /** The first page that a process reads after its start, when it counts the whole list. */
  cold: ByCount
}

/** Measures pages of lists, alternately for merchants with a thousand, a hundred thousand and a million intents. */
export const measureList = (bench: Bench): Promise<ListTimes> =>
  withDatabase(bench.mongodbUrl('list'), async (database) => {
    const counts = [1000, bench.most / 10, bench.most]
    const mongodbUrl = bench.mongodbUrl('list')
    const secretKey = randomBytes(32)
    const [tester] = await makeMerchants(mongodbUrl, secretKey, 1, 'test')
    const merchants = await makeMerchants(mongodbUrl, secretKey, counts.length, 'live')
    const web = await startWeb(bench, { name: 'list-web', mongodbUrl, secretKey })
    if (tester === undefined) throw new Error('No merchant was created')
    const sample = await takeSample(database, web.origin, tester, true)
    for (const [index, count] of counts.entries()) {
      const businessId = merchants[index]?.businessId ?? ''
      await addCopies<Intent>(database.collection('intents'), count, (nth) => {
        const createdAt = new Date(Date.now() - (nth / count) * DAYS * DAY_MS)
        return { ...sample, ...ownOf(), businessId, sandbox: false, createdAt }
      })
    }
    const read = async (index: number, query: string, seconds: number): Promise<number> => {
      const apiKey = merchants[index]?.apiKey ?? ''
      const calls = [{ method: 'GET' as const, path: `/api/v1/dev/intents?${query}`, apiKey }]
      const options = { origin: web.origin, connections: CONNECTIONS, seconds, eachOnce: false }
      return (await sendCalls(bench.runtime, { ...options, calls })).p95
    }
    const noTimes = (): ByCount => new Map(counts.map((count) => [count, []]))
    const readOnce = async (origin: string, apiKey: string): Promise<number> => {
      const calls = [{ method: 'GET' as const, path: '/api/v1/dev/intents?page=1', apiKey }]
      return (await sendCalls(bench.runtime, { origin, calls, connections: 1, seconds: 1, eachOnce: true })).p50
    }
    const unprofiled = { ...bench, runtime: { ...bench.runtime, profile: false } }
    const times = reads.map((one) => ({ ...one, byCount: noTimes() }))
    for (let round = 0; round <= bench.rounds; round += 1)
      for (const { query, byCount } of times)
        for (const [index, count] of counts.entries()) {
          const p95 = await read(index, query, round === 0 ? 1 : bench.seconds)
          // The first round is a warm-up.
          if (round > 0) byCount.get(count)?.push(p95)
        }
    await web.end()
    const cold = noTimes()
    for (let round = 0; round < bench.rounds; round += 1) {
      const fresh = await startWeb(unprofiled, { name: 'list-fresh-web', mongodbUrl, secretKey })
      // The first request of a process compiles its code.
      await readOnce(fresh.origin, tester.apiKey)
      for (const [index, count] of counts.entries())
        cold.get(count)?.push(await readOnce(fresh.origin, merchants[index]?.apiKey ?? ''))
      await fresh.end()
    }
    return { pages: times, cold }
  })
