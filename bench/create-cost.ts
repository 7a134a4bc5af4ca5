import { execFileSync } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { inParallel, openApi } from './calls.ts'
import { withDatabase } from './copies.ts'
import { buildEarlier } from './earlier.ts'
import { makeMerchants } from './merchants.ts'
import { order } from './order.ts'
import { processorMs } from './process-figures.ts'
import type { Bench } from './rounds.ts'
import { startWeb, type Web } from './web.ts'

const MERCHANTS = 20
const CREATES = 8000
/** A new process needs more processor time for its first creates. */
const WARM_UP_ROUNDS = 2

/** The microseconds of processor time in `web` and MongoDB for each create, by round. */
export interface CreateCosts {
  plain: number[]
  withReference: number[]
  /** The costs of the version in the checkout `bench.before`. Empty without such a checkout. */
  before: number[]
}

/** Measures the processor time of creates, alternately without a reference, with one, and in an earlier version. */
export async function measureCreateCost(bench: Bench): Promise<CreateCosts> {
  const secretKey = randomBytes(32)
  const mongodbUrl = bench.mongodbUrl('create-cost')
  const merchants = await makeMerchants(mongodbUrl, secretKey, MERCHANTS, 'test')
  const web = await startWeb(bench, { name: 'create-cost-web', mongodbUrl, secretKey })
  const earlier = bench.before === null ? null : await startEarlier(bench, bench.before, secretKey)
  const cost = async ({ pid, origin }: Web, bodyOf: () => object): Promise<number> => {
    const api = openApi(Number(new URL(origin).port))
    const used = (): number => processorMs(pid) + processorMs(bench.pids.mongo())
    const before = used()
    await inParallel(CREATES, async (index) => {
      const merchant = merchants[index % MERCHANTS]
      if (merchant !== undefined) await api.post(merchant, '/intents', bodyOf())
    })
    const usedMs = used() - before
    await api.close()
    return (usedMs * 1000) / CREATES
  }
  const costs: CreateCosts = { plain: [], withReference: [], before: [] }
  for (let round = -WARM_UP_ROUNDS; round < bench.rounds; round += 1) {
    const plain = await cost(web, () => order)
    const before = earlier === null ? null : await cost(earlier, () => order)
    const withReference = await cost(web, () => ({ ...order, merchantReference: randomUUID() }))
    if (round < 0) continue
    costs.plain.push(plain)
    costs.withReference.push(withReference)
    if (before !== null) costs.before.push(before)
  }
  await Promise.all([web.end(), earlier?.end()])
  return costs
}

/** Starts the `web` of another checkout, with a database of its own that has the same merchants. */
async function startEarlier(bench: Bench, checkout: string, secretKey: Buffer): Promise<Web> {
  const programs = buildEarlier(checkout)
  const name = 'create-cost-before'
  const mongodbUrl = bench.mongodbUrl(name)
  const environment = { MONGODB_URL: mongodbUrl, SECRET_KEY: secretKey.toString('base64') }
  const env = { ...environment, REDIS_URL: bench.redisUrl, PUBLIC_URL: 'https://api.example' }
  execFileSync(process.execPath, [programs.release], { env, stdio: 'ignore' })
  await withDatabase(bench.mongodbUrl('create-cost'), async (database) => {
    for (const coll of ['businesses', 'apikeys'])
      await database
        .collection(coll)
        .aggregate([{ $merge: { into: { db: name, coll } } }])
        .toArray()
  })
  return startWeb(bench, { name, mongodbUrl, secretKey, program: programs.web })
}
