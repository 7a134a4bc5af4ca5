import { setTimeout as pause } from 'node:timers/promises'
import { startRedis } from '../dev/servers.ts'
import { waitsAfter } from './arrivals.ts'
import { alternate, type Benchmark } from './benchmark.ts'
import { createSteadily, responseMs, withService } from './setting.ts'
import { comparedLine, figureLine } from './table.ts'
import { waitsOf } from './times.ts'
import { allRecorded } from './wait-for.ts'

const PER_SECOND = 50
const MERCHANTS = 10
const WITH_SECONDS = 20
const WITHOUT_SECONDS = 120
/** Lets clients reconnect after Redis is back. */
const SETTLE_MS = 5000

export const withoutRedis: Benchmark = {
  describe: () =>
    '50 creates/s of 10 businesses for two minutes with Redis stopped ÷ 20 s with Redis, in turns; the create, and from its response to the first attempt',
  takesSeconds: ({ rounds }) => 20 + rounds * 150,
  async measure(bench) {
    const redis = await startRedis()
    const wanted = {
      environment: { REDIS_URL: redis.url },
      merchants: MERCHANTS,
      endpoints: MERCHANTS,
      events: ['payment.created' as const],
    }
    const pairs = await withService(bench, 'without-redis', wanted, async (setting) => {
      const { service, arrivals, merchants, database } = setting
      let created = 0
      const measure = async (seconds: number) => {
        const creates = await createSteadily(bench, service, seconds, PER_SECOND, merchants)
        created += creates.length
        const waits = await waitsAfter(arrivals, creates, 1)
        return { create: waitsOf(responseMs(creates)).p99, firstAttempt: waitsOf(waits).p99 }
      }
      const without = async () => {
        await redis.kill('SIGKILL')
        const measured = await measure(WITHOUT_SECONDS)
        await redis.restart()
        await pause(SETTLE_MS)
        return measured
      }
      await measure(10)
      const measured = await alternate(bench.rounds, without, () => measure(WITH_SECONDS))
      await allRecorded(database, created)
      return measured
    })
    await redis.stop()
    return [
      comparedLine('without-redis, p99 of the create, ms', pairs, ({ create }) => create, '≤ 2'),
      figureLine('  p99 to the first attempt, ms', pairs, ({ firstAttempt }) => firstAttempt, '≤ 5000 ms'),
    ]
  },
}
