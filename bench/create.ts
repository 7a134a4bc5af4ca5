import { randomBytes } from 'node:crypto'
import { freePort } from '../dev/servers/free-port.ts'
import type { Load, LoadResult } from './load.ts'
import { makeMerchants } from './merchants.ts'
import { order } from './order.ts'
import { listening, runProcess, startProcess } from './processes.ts'
import { alternate, type Bench, type Pair } from './rounds.ts'

const CONNECTIONS = 64
/** The 6-digit codes of a single test merchant would begin to collide. */
const MERCHANTS = 20
const WARM_UP_SECONDS = 2

/** Measures creates per second of the API and of the bare route, alternately on the same MongoDB. */
export async function measureCreate(bench: Bench): Promise<Pair<LoadResult>[]> {
  const mongodbUrl = bench.mongodbUrl('create')
  const secretKey = randomBytes(32)
  const merchants = await makeMerchants(mongodbUrl, secretKey, MERCHANTS, 'test')
  const apiKeys = merchants.map(({ apiKey }) => apiKey)
  const [webPort, barePort] = [await freePort(), await freePort()]
  const shared = { NODE_ENV: 'production', METRICS_PORT: '0', MONGODB_URL: mongodbUrl }
  const web = startProcess(bench.runtime, 'web', bench.runtime.programs.web, {
    ...shared,
    PORT: String(webPort),
    REDIS_URL: bench.redisUrl,
    QUEUE_PREFIX: 'create',
    PUBLIC_URL: 'https://api.example',
    SECRET_KEY: secretKey.toString('base64'),
  })
  const bare = startProcess(bench.runtime, 'bare-route', 'bench/bare/route.ts', {
    ...shared,
    PORT: String(barePort),
  })
  await Promise.all([listening(webPort), listening(barePort)])

  const load = async (url: string, seconds: number): Promise<LoadResult> => {
    const input: Load = { url, seconds, connections: CONNECTIONS, body: order, apiKeys }
    const result = await runProcess<LoadResult>(bench.runtime, 'load', 'bench/load.ts', [JSON.stringify(input)])
    if (result.failed > 0) throw new Error(`${result.failed} requests to ${url} did not get 2xx`)
    return result
  }
  const service = (seconds: number) => load(`http://127.0.0.1:${webPort}/api/v1/dev/intents`, seconds)
  const route = (seconds: number) => load(`http://127.0.0.1:${barePort}/`, seconds)
  await service(WARM_UP_SECONDS)
  await route(WARM_UP_SECONDS)
  const pairs = await alternate(
    bench.rounds,
    () => service(bench.seconds),
    () => route(bench.seconds),
  )
  await Promise.all([web.end(), bare.end()])
  return pairs
}
