import { randomBytes } from 'node:crypto'
import type { Intent } from '../src/intents/intent.ts'
import { addCopies, ownOf, takeSample, withBooks } from './copies.ts'
import { makeMerchants } from './merchants.ts'
import type { Bench } from './rounds.ts'
import { sendCalls } from './send-calls.ts'
import { startWeb } from './web.ts'

/** A merchant's server and a person or two. */
const CONNECTIONS = 2
/** A merchant of a million in three months. */
const DAYS = 90
const DAY_MS = 86_400_000
const pages = [1, 1000] as const

/** Of each round, by how many intents the merchant has, in milliseconds. */
type ByCount = Map<number, number[]>

export interface ListTimes {
  /** The p95 of each page. */
  pages: { page: number; byCount: ByCount }[]
  /** The first page that a process reads after its start, when it counts the whole list: one read. */
  cold: ByCount
}

/** How long a page of a list takes, of merchants with a thousand, a hundred thousand and a million intents, in turns. */
export const measureList = (bench: Bench): Promise<ListTimes> =>
  withBooks(bench.mongodbUrl('list'), async (books) => {
    const counts = [1000, bench.most / 10, bench.most]
    const mongodbUrl = bench.mongodbUrl('list')
    const secretKey = randomBytes(32)
    const [tester] = await makeMerchants(mongodbUrl, secretKey, 1, 'test')
    const merchants = await makeMerchants(mongodbUrl, secretKey, counts.length, 'live')
    const web = await startWeb(bench, { name: 'list-web', mongodbUrl, secretKey })
    if (tester === undefined) throw new Error('No merchant was made')
    const sample = await takeSample(books, web.origin, tester, true)
    for (const [place, count] of counts.entries()) {
      const businessId = merchants[place]?.businessId ?? ''
      await addCopies<Intent>(books.collection('intents'), count, (nth) => {
        const createdAt = new Date(Date.now() - (nth / count) * DAYS * DAY_MS)
        return { ...sample, ...ownOf(), businessId, sandbox: false, createdAt }
      })
    }
    const read = async (place: number, page: number, seconds: number): Promise<number> => {
      const apiKey = merchants[place]?.apiKey ?? ''
      const calls = [{ method: 'GET' as const, path: `/api/v1/dev/intents?page=${page}`, apiKey }]
      const how = { origin: web.origin, connections: CONNECTIONS, seconds, eachOnce: false }
      return (await sendCalls(bench.where, { ...how, calls })).p95
    }
    const noTimes = (): ByCount => new Map(counts.map((count) => [count, []]))
    const readOnce = async (origin: string, apiKey: string): Promise<number> => {
      const calls = [{ method: 'GET' as const, path: '/api/v1/dev/intents?page=1', apiKey }]
      return (await sendCalls(bench.where, { origin, calls, connections: 1, seconds: 1, eachOnce: true })).p50
    }
    const unprofiled = { ...bench, where: { ...bench.where, profile: false } }
    const times = pages.map((page) => ({ page, byCount: noTimes() }))
    for (let round = 0; round <= bench.rounds; round += 1)
      for (const { page, byCount } of times)
        for (const [place, count] of counts.entries()) {
          const p95 = await read(place, page, round === 0 ? 1 : bench.seconds)
          // The first round is thrown away.
          if (round > 0) byCount.get(count)?.push(p95)
        }
    await web.end()
    const cold = noTimes()
    for (let round = 0; round < bench.rounds; round += 1) {
      const fresh = await startWeb(unprofiled, { name: 'list-fresh-web', mongodbUrl, secretKey })
      // Its first request of all compiles what it runs.
      await readOnce(fresh.origin, tester.apiKey)
      for (const [place, count] of counts.entries())
        cold.get(count)?.push(await readOnce(fresh.origin, merchants[place]?.apiKey ?? ''))
      await fresh.end()
    }
    return { pages: times, cold }
  })
