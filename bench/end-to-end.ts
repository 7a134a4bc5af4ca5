import { allArrived, waitsAfter } from './arrivals.ts'
import { alternateFor, type Bench, type Benchmark } from './benchmark.ts'
import { order } from './calls.ts'
import { sendCalls } from './send-calls.ts'
import { actSteadily, createPath, type Setting, startBareNotify, withService } from './setting.ts'
import { comparedLine, figureLine, rateLine } from './table.ts'
import { waitsOf } from './times.ts'
import { allRecorded } from './wait-for.ts'

const LIMIT_SECONDS = 60
/** Warm-up, in which the processes compile their code. Each side has two. */
const WARM_UP_EVENTS = 3000

export const endToEnd: Benchmark = {
  describe: ({ events }) =>
    `${events} creates over 64 connections to one \`web\`, their webhooks by one \`worker\` to one endpoint ÷ a bare Express 5 route with one ` +
    'insertOne and one job, and a bare BullMQ worker with undici; from the first create to the last arrival, in turns',
  takesSeconds: ({ rounds, events }) => 8 + (4 * WARM_UP_EVENTS + rounds * 2 * events) / 1_000,
  measure: (bench) =>
    withBoth(bench, 'end-to-end', 1, async (setting, origins) => {
      const onService = (events: number) => createAll(bench, setting, origins.service, createPath, events)
      const onBare = (events: number) => createAll(bench, setting, origins.bare, '/', events)
      await onService(WARM_UP_EVENTS)
      await onBare(WARM_UP_EVENTS)
      const pairs = await alternateFor(
        bench,
        { warmUp: WARM_UP_EVENTS, measured: bench.events },
        onService,
        onBare,
      )
      await allRecorded(setting.database, 2 * WARM_UP_EVENTS + bench.rounds * bench.events)
      return [
        rateLine('end-to-end, events/s', pairs, '≥ 0.85'),
        figureLine('  creates/s', pairs, ({ created }) => created),
      ]
    }),
}

async function createAll(
  bench: Bench,
  { merchants, arrivals }: Setting,
  origin: string,
  path: string,
  events: number,
) {
  const { apiKey = '' } = merchants.at(0) ?? {}
  const calls = Array.from({ length: events }, () => ({ method: 'POST' as const, path, apiKey }))
  const options = { connections: 64, seconds: LIMIT_SECONDS, eachOnce: true, body: order }
  const { sent, startedAt, perSecond } = await sendCalls(bench.runtime, { origin, calls, ...options })
  if (sent < events) throw new Error(`Only ${sent} of ${events} creates in ${LIMIT_SECONDS} s`)
  const lastAt = Math.max(...(await allArrived(arrivals, events)).map(([, , , at]) => at))
  await arrivals.forget()
  return { perSecond: events / ((lastAt - startedAt) / 1000), created: perSecond }
}

const PER_SECOND = 200
/** The bare worker posts to as many. */
const ENDPOINTS = 2

export const latency: Benchmark = {
  describe: ({ trafficSeconds }) =>
    '200 creates/s to one `web` with one `worker`, 2 endpoints each ÷ a bare route with one insert and a bare BullMQ worker that ' +
    `posts twice; ${trafficSeconds} s in turns; from the response of a create to the arrival of its first attempts`,
  takesSeconds: ({ rounds, trafficSeconds }) => 35 + rounds * 2 * (trafficSeconds + 2),
  measure: (bench) =>
    withBoth(bench, 'latency', ENDPOINTS, async ({ merchants, arrivals }, origins) => {
      const streams = [{ perSecond: PER_SECOND, apiKeys: merchants.map(({ apiKey }) => apiKey) }]
      const side = (origin: string, path: string) => async (seconds: number) => {
        const creates = await actSteadily(bench, [origin], seconds, streams, path)
        const waits = await waitsAfter(arrivals, creates, ENDPOINTS)
        const responses = waitsOf(creates.map(({ dueAt, respondedAt }) => respondedAt - dueAt))
        return { ...waitsOf(waits), perSecond: waits.length / seconds, createP99: responses.p99 }
      }
      // A new process first compiles its code. At this rate, each event takes three times as long for some ten seconds.
      const seconds = { warmUp: 15, measured: bench.trafficSeconds }
      const pairs = await alternateFor(
        bench,
        seconds,
        side(origins.service, createPath),
        side(origins.bare, '/'),
      )
      return [
        comparedLine('latency, p50, ms', pairs, ({ p50 }) => p50),
        comparedLine('  p99, ms', pairs, ({ p99 }) => p99, '≤ 10'),
        figureLine('  worst, ms', pairs, ({ max }) => max),
        figureLine('  arrivals/s', pairs, ({ perSecond }) => perSecond),
        figureLine('  p99 of the create, ms', pairs, ({ createP99 }) => createP99),
      ]
    }),
}

const withBoth = <Result>(
  bench: Bench,
  name: string,
  endpoints: number,
  use: (setting: Setting, origins: { service: string; bare: string }) => Promise<Result>,
): Promise<Result> =>
  withService(
    bench,
    name,
    { endpoints, events: ['payment.created'], environment: { RATE_LIMIT_PER_SECOND: '0' } },
    async (setting) => {
      const bare = await startBareNotify(bench, name, setting.arrivals.urls)
      const result = await use(setting, { service: setting.service.web.origin, bare: bare.origin })
      await bare.end()
      return result
    },
  )
