import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { processorMs } from '../dev/tests/processor-time.ts'
import type { Bench, Benchmark } from './benchmark.ts'
import { inParallel, openApi, order } from './calls.ts'
import { makeMerchants } from './merchants.ts'
import { buildEarlier } from './processes.ts'
import { inProduction, type Service, startService, type Web, withDatabase } from './setting.ts'
import { comparedLine } from './table.ts'

const MERCHANTS = 20
const CREATES = 8000
/** A new process needs more processor time for its first creates. */
const WARM_UP_ROUNDS = 2

export const createCost: Benchmark = {
  describe: () =>
    'processor time of `web` and MongoDB for a create with a `merchantReference` ÷ without; with --before, of this version ÷ of another checkout',
  takesSeconds: ({ rounds }) => 10 + (rounds + WARM_UP_ROUNDS) * 9,
  async measure(bench) {
    const service = await startService(bench, 'create-cost', { environment: inProduction })
    const merchants = await makeMerchants(service, MERCHANTS)
    const earlier = bench.before === null ? null : await startEarlier(bench, bench.before, service)
    const cost = async ({ pid, origin }: Web, bodyOf: () => object): Promise<number> => {
      const api = openApi(origin)
      const used = (): number => processorMs(pid) + processorMs(bench.pids.mongo())
      const before = used()
      await inParallel(CREATES, (index) => api.post(merchants[index % MERCHANTS], '/intents', bodyOf()))
      const usedMs = used() - before
      await api.close()
      return (usedMs * 1000) / CREATES
    }
    const rounds: { plain: number; before: number; withReference: number }[] = []
    for (let round = -WARM_UP_ROUNDS; round < bench.rounds; round += 1) {
      const plain = await cost(service.web, () => order)
      const before = earlier === null ? Number.NaN : await cost(earlier.web, () => order)
      const withReference = await cost(service.web, () => ({ ...order, merchantReference: randomUUID() }))
      if (round >= 0) rounds.push({ plain, before, withReference })
    }
    await Promise.all([service.end(), earlier?.end()])
    const line = (what: string, side: 'plain' | 'withReference', other: 'plain' | 'before', aim = '') =>
      comparedLine(
        what,
        rounds.map((round) => ({ service: round[side], bare: round[other] })),
        (us) => us,
        aim,
      )
    const comparisons = [
      line('create-cost ÷ before, µs', 'plain', 'before', '≤ 1.05'),
      line('  with a reference ÷ before, µs', 'withReference', 'before', '≤ 1.05'),
    ]
    const alone = line('create-cost with a reference ÷ without, µs', 'withReference', 'plain')
    return [...(earlier === null ? [] : comparisons), alone]
  },
}

/** Another checkout's `web`, with its own database but the same merchants. */
async function startEarlier(
  bench: Bench,
  checkout: string,
  { secretKey, mongodbUrl }: Service,
): Promise<Service> {
  const programs = buildEarlier(checkout)
  const name = 'create-cost-before'
  const environment = { MONGODB_URL: bench.mongodbUrl(name), SECRET_KEY: secretKey.toString('base64') }
  const env = { ...environment, REDIS_URL: bench.redisUrl, PUBLIC_URL: 'https://api.example' }
  execFileSync(process.execPath, [programs.release], { env, stdio: 'ignore' })
  await withDatabase(mongodbUrl, async (database) => {
    for (const coll of ['businesses', 'apikeys'])
      await database
        .collection(coll)
        .aggregate([{ $merge: { into: { db: name, coll } } }])
        .toArray()
  })
  const there = { ...bench, runtime: { ...bench.runtime, programs } }
  return startService(there, name, { environment: inProduction, secretKey })
}
