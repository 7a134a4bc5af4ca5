import type { Intent } from '../src/intents/intent.ts'
import { alternate, type Bench, type Benchmark, type Line } from './benchmark.ts'
import { addCopies, ownOf, takeSample } from './copies.ts'
import { makeMerchants } from './merchants.ts'
import { sendCalls, sendRefusableCalls } from './send-calls.ts'
import { createPath, createSteadily, inProduction, responseMs, startService, withService } from './setting.ts'
import { comparedLine, figureLine, waitLines } from './table.ts'
import { waitsOf } from './times.ts'

/** As much load as a merchant's server and a person or two. */
const CONNECTIONS = 2
const AGE_MS = 90 * 86_400_000
const reads = [
  { what: 'page 1', query: 'page=1', aim: '≤ 1.5' },
  { what: 'page 1000', query: 'page=1000', aim: '≤ 5' },
  { what: 'page 1 of status PAID', query: 'page=1&status=PAID', aim: '' },
] as const

type ByCount = Map<number, number[]>

export const list: Benchmark = {
  describe: ({ most, seconds }) =>
    `GET /dev/intents of a merchant with ${most} intents ÷ of one with 1 000, \`total\` counted; p95 at 2 connections, ${seconds} s in turns`,
  takesSeconds: ({ rounds, seconds, most }) => 8 + most / 15_000 + rounds * (9 * (seconds + 1) + 5),
  measure: (bench) =>
    withService(bench, 'list', { environment: inProduction, worker: false }, async (setting) => {
      const { service, merchants: testers, database } = setting
      const counts = [1000, bench.most / 10, bench.most]
      const merchants = await makeMerchants(service, counts.length, 'live')
      const sample = await takeSample(setting, true)
      for (const [index, count] of counts.entries()) {
        const businessId = merchants[index]?.businessId ?? ''
        await addCopies<Intent>(database.collection('intents'), count, (nth) => {
          const createdAt = new Date(Date.now() - (nth / count) * AGE_MS)
          return { ...sample, ...ownOf(), businessId, sandbox: false, createdAt }
        })
      }
      const noTimes = (): ByCount => new Map(counts.map((count) => [count, []]))
      const read = (origin: string, apiKey = '', query = 'page=1', seconds = 0) => {
        const calls = [{ method: 'GET' as const, path: `${createPath}?${query}`, apiKey }]
        const load =
          seconds === 0
            ? { connections: 1, seconds: 1, eachOnce: true }
            : { connections: CONNECTIONS, seconds, eachOnce: false }
        return sendCalls(bench.runtime, { origin, calls, ...load })
      }
      const times = reads.map((one) => ({ ...one, byCount: noTimes() }))
      for (let round = 0; round <= bench.rounds; round += 1)
        for (const { query, byCount } of times)
          for (const [index, count] of counts.entries()) {
            const seconds = round === 0 ? 1 : bench.seconds
            const { p95 } = await read(service.web.origin, merchants[index]?.apiKey, query, seconds)
            // The first round is a warm-up.
            if (round > 0) byCount.get(count)?.push(p95)
          }
      // The first page that a new process reads, when it counts the whole list.
      const cold = noTimes()
      const { secretKey } = service
      for (let round = 0; round < bench.rounds; round += 1) {
        const fresh = await startService(bench, 'list-fresh', {
          environment: inProduction,
          secretKey,
          database: 'list',
        })
        // A process's first request compiles its code.
        await read(fresh.web.origin, testers[0]?.apiKey)
        for (const [index, count] of counts.entries())
          cold.get(count)?.push((await read(fresh.web.origin, merchants[index]?.apiKey)).p50)
        await fresh.end()
      }
      return [
        ...times.flatMap(({ what, aim, byCount }) =>
          countLines(`list, ${what}`, 'p95, ms', byCount, (count) => (count < bench.most ? '' : aim)),
        ),
        ...countLines('list, first page after a start', 'ms', cold, () => ''),
      ]
    }),
}

/** Compares the longer lists with the shortest. */
function countLines(what: string, unit: string, byCount: ByCount, aimOf: (count: number) => string): Line[] {
  const [[least = 0, few = []] = [], ...longer] = byCount
  return longer.map(([count, times]) =>
    comparedLine(
      `${what} of ${count} ÷ of ${least}, ${unit}`,
      times.map((service, round) => ({ service, bare: few[round] ?? Number.NaN })),
      (ms) => ms,
      aimOf(count),
    ),
  )
}

const PER_SECOND = 50
const LISTERS = 60
const PENDING = 40_000
const HOUR_MS = 3_600_000

/** Times one merchant's creates, alternately beside clients that list another's PENDING intents, and alone. */
export const lists: Benchmark = {
  describe: ({ trafficSeconds }) =>
    `50 creates/s of one merchant beside 60 clients that list another's 40 000 PENDING intents ÷ alone; one \`web\` without a rate limit, ${trafficSeconds} s in turns`,
  takesSeconds: ({ rounds, trafficSeconds }) => 20 + rounds * 2 * (trafficSeconds + 5),
  async measure(bench) {
    const pairs = await withService(
      bench,
      'lists',
      { environment: inProduction, worker: false },
      async (setting) => {
        const { service, merchants: listers, database } = setting
        const creators = await makeMerchants(service, 1, 'live')
        const sample = await takeSample(setting)
        const newest = Date.now()
        await addCopies<Intent>(database.collection('intents'), PENDING, (nth) => {
          const createdAt = new Date(newest - (nth / PENDING) * HOUR_MS)
          return { ...sample, ...ownOf(), createdAt }
        })
        const create = async (seconds: number) =>
          waitsOf(responseMs(await createSteadily(bench, service, seconds, PER_SECOND, creators)))
        const listFor = (seconds: number) =>
          listPending(bench, service.web.origin, listers[0]?.apiKey ?? '', seconds)
        const beside = async () => {
          // The lists begin before the creates and end after them.
          const listing = listFor(bench.trafficSeconds + 4)
          await create(2)
          return { ...(await create(bench.trafficSeconds)), ...(await listing) }
        }
        const alone = async () => {
          await create(2)
          return { ...(await create(bench.trafficSeconds)), listed: 0, refused: 0 }
        }
        await create(5)
        await listFor(2)
        return alternate(bench.rounds, beside, alone)
      },
    )
    return [
      ...waitLines('lists: the create', pairs, '≤ 3'),
      figureLine('  lists/s', pairs, ({ listed }) => listed),
      figureLine('  lists refused/s', pairs, ({ refused }) => refused),
    ]
  },
}

async function listPending(bench: Bench, origin: string, apiKey: string, seconds: number) {
  const calls = [{ method: 'GET' as const, path: `${createPath}?status=PENDING`, apiKey }]
  const options = { origin, calls, connections: LISTERS, seconds, eachOnce: false }
  const { sent, failed } = await sendRefusableCalls(bench.runtime, options)
  if (sent === failed) throw new Error('Every list was refused')
  return { listed: (sent - failed) / seconds, refused: failed / seconds }
}
