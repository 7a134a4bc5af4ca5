import { randomUUID } from 'node:crypto'
import type { EventName } from '../schemas/events.ts'
import { scopes } from '../schemas/scopes.ts'
import { createBusiness } from '../src/businesses/create-business.ts'
import { issueKey } from '../src/businesses/issue-key.ts'
import { connectMongo } from '../src/mongo/connect.ts'
import { makeIndexes } from '../src/mongo/indexes.ts'
import { openModels } from '../src/mongo/models.ts'
import { createLog } from '../src/process/log.ts'
import { createSecrets } from '../src/security/seal.ts'

/** A business, and a secret key of it that may do everything. */
export interface Merchant {
  businessId: string
  apiKey: string
}

/** Makes the indexes and that many businesses, each with a key of that mode. */
export async function makeMerchants(
  mongodbUrl: string,
  secretKey: Buffer,
  count: number,
  mode: 'test' | 'live',
): Promise<Merchant[]> {
  const log = createLog('silent', 'bench', null)
  await makeIndexes(mongodbUrl, log)
  const mongo = await connectMongo(mongodbUrl, log, {})
  const deps = { ...openModels(mongo), secrets: createSecrets([secretKey]), now: () => new Date() }
  const merchants: Merchant[] = []
  for (let place = 0; place < count; place += 1) {
    const { _id: businessId } = await createBusiness(deps, {
      name: `Boutique ${place}`,
      liveApproved: mode === 'live',
    })
    const all = { scopes: [...scopes], ipAllowlist: [] }
    const issued = await issueKey(deps, { businessId, mode, kind: 'secret', ...all })
    if (issued) merchants.push({ businessId, apiKey: issued.key })
  }
  await mongo.close()
  return merchants
}

/** Registers a receiver for some events, as a merchant does. */
export async function addEndpoint(
  webUrl: string,
  { apiKey }: Merchant,
  url: string,
  events: EventName[],
): Promise<void> {
  const answer = await fetch(`${webUrl}/api/v1/dev/webhooks/endpoints`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${apiKey}`,
      'Content-Type': 'application/json',
      'X-Idempotency-Key': randomUUID(),
    },
    body: JSON.stringify({ url, events }),
  })
  if (answer.status !== 201) throw new Error(`An endpoint was not made: ${await answer.text()}`)
}
