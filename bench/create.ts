import { alternateFor, type Bench, type Benchmark } from './benchmark.ts'
import { order } from './calls.ts'
import type { Load, LoadResult } from './load.ts'
import { makeMerchants } from './merchants.ts'
import { runProcess } from './processes.ts'
import { createPath, inProduction, startBare, startService } from './setting.ts'
import { rateLines } from './table.ts'

/** With a single test merchant, 6-digit codes would begin to collide. */
const MERCHANTS = 20

export const create: Benchmark = {
  describe: ({ seconds }) =>
    'POST /dev/intents of one `web` ÷ a bare Express 5 route with one insertOne; both w:majority j:true, ' +
    `64 connections, ${seconds} s in turns`,
  takesSeconds: ({ rounds, seconds }) => 10 + rounds * 2 * (seconds + 1),
  async measure(bench) {
    // Unlike most benchmarks, with a rate limit.
    const environment = { ...inProduction, RATE_LIMIT_PER_SECOND: '1000' }
    const service = await startService(bench, 'create', { environment })
    const bare = await startBare(bench, 'create', 'create')
    const apiKeys = (await makeMerchants(service, MERCHANTS)).map(({ apiKey }) => apiKey)
    const pairs = await alternateFor(
      bench,
      { warmUp: 2, measured: bench.seconds },
      (seconds) => load(bench, `${service.web.origin}${createPath}`, seconds, 64, apiKeys),
      (seconds) => load(bench, `${bare.origin}/`, seconds, 64, apiKeys),
    )
    await Promise.all([service.end(), bare.end()])
    return rateLines('create, requests/s', pairs, '≥ 0.9')
  },
}

/** Few, so that the two processes often reserve parts of the same quota. */
const QUOTA_MERCHANTS = 4
const quotas = {
  limited: { SANDBOX_INTENTS_PER_DAY: '100000000', SANDBOX_BYTES_PER_DAY: '100000000000' },
  none: { SANDBOX_INTENTS_PER_DAY: '0', SANDBOX_BYTES_PER_DAY: '0', AUDIT_LINES_PER_DAY: '0' },
}

export const createsWithQuotas: Benchmark = {
  describe: ({ seconds }) =>
    'POST /dev/intents of two `web` with quotas that nothing uses up ÷ the same with quotas at 0; 4 merchants, ' +
    `2 × 32 connections, ${seconds} s in turns`,
  takesSeconds: ({ rounds, seconds }) => 15 + rounds * 2 * (seconds + 1),
  async measure(bench) {
    const environment = (own: object) => ({
      webs: 2,
      environment: { ...inProduction, ...own },
      database: 'quotas',
    })
    const limited = await startService(bench, 'quotas', environment(quotas.limited))
    const { secretKey } = limited
    const free = await startService(bench, 'no-quotas', { ...environment(quotas.none), secretKey })
    const apiKeys = (await makeMerchants(limited, QUOTA_MERCHANTS)).map(({ apiKey }) => apiKey)
    const both = async (origins: string[], seconds: number): Promise<LoadResult> => {
      const results = await Promise.all(
        origins.map((origin, index) =>
          load(bench, `${origin}${createPath}`, seconds, 32, apiKeys, `load-${index}`),
        ),
      )
      return {
        ...(results.at(0) as LoadResult),
        perSecond: results.reduce((sum, { perSecond }) => sum + perSecond, 0),
      }
    }
    const pairs = await alternateFor(
      bench,
      { warmUp: 2, measured: bench.seconds },
      (seconds) => both(limited.origins, seconds),
      (seconds) => both(free.origins, seconds),
    )
    await Promise.all([limited.end(), free.end()])
    return rateLines('quotas, requests/s', pairs, '≥ 0.95')
  },
}

async function load(
  { runtime }: Bench,
  url: string,
  seconds: number,
  connections: number,
  apiKeys: string[],
  name = 'load',
): Promise<LoadResult> {
  const input: Load = { url, seconds, connections, body: order, apiKeys }
  const result = await runProcess<LoadResult>(runtime, 'load', input, name)
  if (result.failed > 0) throw new Error(`${result.failed} requests to ${url} did not get 2xx`)
  return result
}
