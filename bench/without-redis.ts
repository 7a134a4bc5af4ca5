import { setTimeout as pause } from 'node:timers/promises'
import { startRedis } from '../dev/servers.ts'
import { withDatabase } from './copies.ts'
import { addEndpoint, makeMerchants } from './merchants.ts'
import { percentile } from './percentile.ts'
import { allRecorded } from './recorded.ts'
import { alternate, type Bench, type Pair } from './rounds.ts'
import { actSteadily, responseMs, startService } from './web-and-worker.ts'
import { startWitness, waitsAfter } from './witness.ts'

const PER_SECOND = 50
const MERCHANTS = 10
const WARM_UP_SECONDS = 10
const WITH_SECONDS = 20
const WITHOUT_SECONDS = 120
/** Lets clients reconnect after Redis is back. */
const SETTLE_MS = 5000

/** p99 in milliseconds. */
export interface WithoutRedis {
  create: number
  /** From the response of the create to the first attempt. */
  firstAttempt: number
}

/**
 * Creates at a steady rate, alternately while Redis is down (`service`) and while it runs (`bare`). Uses its own Redis.
 */
export async function measureWithoutRedis(bench: Bench): Promise<Pair<WithoutRedis>[]> {
  const redis = await startRedis()
  const witness = await startWitness(bench.runtime, 'without-redis-endpoints', MERCHANTS)
  const service = await startService(bench, 'without-redis', {
    WEBHOOK_ALLOWED_HOSTS: witness.allowedHosts,
    REDIS_URL: redis.url,
  })
  const merchants = await makeMerchants(service.mongodbUrl, service.secretKey, MERCHANTS, 'test')
  for (const [index, merchant] of merchants.entries())
    await addEndpoint(service.webUrl, merchant, witness.urlOf(witness.ports[index] ?? 0), ['payment.created'])
  const streams = [{ perSecond: PER_SECOND, apiKeys: merchants.map(({ apiKey }) => apiKey) }]
  let created = 0
  const measure = async (seconds: number): Promise<WithoutRedis> => {
    const creates = await actSteadily(bench, service.webUrls, seconds, streams)
    created += creates.length
    const waits = await waitsAfter(witness, creates, 1)
    await witness.forget()
    return { create: percentile(responseMs(creates), 0.99), firstAttempt: percentile(waits, 0.99) }
  }
  const without = async (): Promise<WithoutRedis> => {
    await redis.kill('SIGKILL')
    const measured = await measure(WITHOUT_SECONDS)
    await redis.restart()
    await pause(SETTLE_MS)
    return measured
  }
  await measure(WARM_UP_SECONDS)
  const pairs = await alternate(bench.rounds, without, () => measure(WITH_SECONDS))
  await withDatabase(service.mongodbUrl, (database) => allRecorded(database, created))
  await service.end()
  await Promise.all([witness.end(), redis.stop()])
  return pairs
}
