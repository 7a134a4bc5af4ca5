import { randomBytes } from 'node:crypto'
import type { Load, LoadResult } from './load.ts'
import { makeMerchants } from './merchants.ts'
import { order } from './order.ts'
import { runProcess } from './processes.ts'
import { alternate, type Bench, type Pair } from './rounds.ts'
import { startServing, type Web } from './web.ts'

const CONNECTIONS_OF_EACH = 32
/** Few, so that the two processes often reserve parts of the same quota. */
const MERCHANTS = 4
const WARM_UP_SECONDS = 2
const NO_QUOTAS = { SANDBOX_INTENTS_PER_DAY: '0', SANDBOX_BYTES_PER_DAY: '0', AUDIT_LINES_PER_DAY: '0' }

/** Measures creates per second of two `web` together, with quotas that nothing uses up and without quotas. */
export async function measureQuotas(bench: Bench): Promise<Pair<LoadResult>[]> {
  const mongodbUrl = bench.mongodbUrl('quotas')
  const secretKey = randomBytes(32)
  const merchants = await makeMerchants(mongodbUrl, secretKey, MERCHANTS, 'test')
  const apiKeys = merchants.map(({ apiKey }) => apiKey)
  const startTwo = (name: string, quotas: Record<string, string>): Promise<Web[]> =>
    Promise.all(
      [1, 2].map((number) =>
        startServing(bench, `${name}-${number}`, bench.runtime.programs.web, {
          MONGODB_URL: mongodbUrl,
          REDIS_URL: bench.redisUrl,
          QUEUE_PREFIX: 'quotas',
          PUBLIC_URL: 'https://api.example',
          SECRET_KEY: secretKey.toString('base64'),
          RATE_LIMIT_PER_SECOND: '0',
          ...quotas,
        }),
      ),
    )
  const limited = await startTwo('quotas', {
    SANDBOX_INTENTS_PER_DAY: '100000000',
    SANDBOX_BYTES_PER_DAY: '100000000000',
  })
  const free = await startTwo('no-quotas', NO_QUOTAS)

  async function load(webs: Web[], seconds: number): Promise<LoadResult> {
    const results = await Promise.all(
      webs.map(({ origin }, index) => {
        const url = `${origin}/api/v1/dev/intents`
        const input: Load = { url, seconds, connections: CONNECTIONS_OF_EACH, body: order, apiKeys }
        return runProcess<LoadResult>(bench.runtime, `load-${index + 1}`, 'bench/load.ts', [JSON.stringify(input)])
      }),
    )
    const failed = results.reduce((sum, each) => sum + each.failed, 0)
    if (failed > 0) throw new Error(`${failed} creates did not get 201`)
    const [first] = results as [LoadResult]
    return { ...first, perSecond: results.reduce((sum, each) => sum + each.perSecond, 0) }
  }
  for (const webs of [limited, free]) await load(webs, WARM_UP_SECONDS)
  const pairs = await alternate(
    bench.rounds,
    () => load(limited, bench.seconds),
    () => load(free, bench.seconds),
  )
  await Promise.all([...limited, ...free].map((web) => web.end()))
  return pairs
}
