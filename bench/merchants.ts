import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { EventName } from '../schemas/events.ts'
import { apiScopes } from '../schemas/scopes.ts'
import { createBusiness } from '../src/businesses/change-business.ts'
import { issueApiKey } from '../src/businesses/change-key.ts'
import { openModels, updateDatabase } from '../src/context/models.ts'
import { connectMongo } from '../src/mongo/connect.ts'
import { openTransactions } from '../src/mongo/transaction.ts'
import { createLog } from '../src/platform/log.ts'
import { createEncrypter } from '../src/security/encrypt.ts'
import type { Bench } from './benchmark.ts'
import { type Merchant, openApi } from './calls.ts'

const run = promisify(execFile)

interface Stored {
  mongodbUrl: string
  secretKey: Buffer
}

/** Creates the indexes and `count` businesses, each with a key. @throws {Error} if one is not created */
export async function makeMerchants(
  { mongodbUrl, secretKey }: Stored,
  count: number,
  mode: 'test' | 'live' = 'test',
): Promise<Merchant[]> {
  const log = createLog('silent', 'bench', null)
  await updateDatabase({ mongodbUrl, mongodbCa: null }, log)
  const mongo = await connectMongo({ mongodbUrl, mongodbCa: null }, log, {})
  const transactions = openTransactions(mongo)
  const deps = {
    ...openModels(mongo),
    transactions,
    secrets: createEncrypter([secretKey]),
    now: () => new Date(),
  }
  const by = { actor: { kind: 'operator', name: 'bench', from: null }, reason: null } as const
  const merchants: Merchant[] = []
  for (let index = 0; index < count; index += 1) {
    const input = { name: `Boutique ${index}`, liveApproved: mode === 'live' }
    const { _id: businessId } = await createBusiness(deps, input, by)
    const key = { businessId, mode, kind: 'secret' as const, scopes: [...apiScopes], ipAllowlist: [] }
    const issued = await issueApiKey(deps, key, by)
    if (issued === null) throw new Error('No key was issued')
    merchants.push({ businessId, apiKey: issued.key })
  }
  await mongo.destroy()
  return merchants
}

export async function provisionMerchants(
  { runtime, redisUrl }: Bench,
  { mongodbUrl, secretKey }: Stored,
  count: number,
): Promise<Merchant[]> {
  const env = {
    NODE_ENV: 'test',
    MONGODB_URL: mongodbUrl,
    REDIS_URL: redisUrl,
    SECRET_KEY: secretKey.toString('base64'),
  }
  const admin = async (...args: string[]): Promise<{ id: string; key: string }> => {
    const { stdout } = await run(process.execPath, [runtime.programs.admin, ...args, '--json'], { env })
    return JSON.parse(stdout)
  }
  const merchants: Merchant[] = []
  while (merchants.length < count) {
    const { id } = await admin('business', 'create', '--name', 'Boutique')
    const { key } = await admin('key', 'create', '--business', id, '--mode', 'test', '--kind', 'secret')
    merchants.push({ businessId: id, apiKey: key })
  }
  return merchants
}

export async function addEndpoint(
  { web }: { web: { origin: string } },
  merchant: Merchant | undefined,
  url: string | undefined,
  events: EventName[],
): Promise<void> {
  const api = openApi(web.origin)
  await api.post(merchant, '/webhooks/endpoints', { url, events })
  await api.close()
}
