import { mongo } from 'mongoose'
import { freePort } from '../dev/servers/free-port.ts'
import { newId } from '../src/platform/ids.ts'
import { deliveryId, endpointIdOf } from '../src/webhooks/deliveries/delivery-job.ts'
import { addEndpoint, type Merchant, makeMerchants } from './merchants.ts'
import { measurePhase, type Phase } from './noisy.ts'
import type { Bench } from './rounds.ts'
import { waitFor } from './wait-for.ts'
import { actSteadily, startService } from './web-and-worker.ts'
import { startWitness } from './witness.ts'

const BACKLOG = 100_000
const QUIET = 20
const QUIET_PER_SECOND = 20
const WARM_UP_SECONDS = 3
const PHASE_SECONDS = 40
const INSERTED_TOGETHER = 1000

/**
 * Fresh events of 20 businesses, without a backlog and beside 100 000 due retries for an endpoint that is closed or
 * hangs.
 */
export interface Backlog {
  without: Phase
  dead: { phase: Phase; attempted: number }[]
}

interface Retry {
  _id: string
  businessId: string
  status: string
  attempts: number
}

export async function measureBacklog(bench: Bench): Promise<Backlog> {
  const witness = await startWitness(bench.runtime, 'backlog-endpoints', QUIET + 1)
  const [hangingPort, ...quietPorts] = witness.ports as [number, ...number[]]
  const closedPort = await freePort()
  const service = await startService(bench, 'noisy', {
    WEBHOOK_ALLOWED_HOSTS: `${witness.allowedHosts},127.0.0.1:${closedPort}`,
  })
  const merchants = await makeMerchants(service.mongodbUrl, service.secretKey, QUIET + 2, 'test')
  const [refused, hanging, ...quiet] = merchants as [Merchant, Merchant, ...Merchant[]]
  await witness.behave(hangingPort, 'hangs')
  await addEndpoint(service.webUrl, refused, witness.urlOf(closedPort), ['payment.created'])
  await addEndpoint(service.webUrl, hanging, witness.urlOf(hangingPort), ['payment.created'])
  for (const [index, merchant] of quiet.entries())
    await addEndpoint(service.webUrl, merchant, witness.urlOf(quietPorts[index] ?? 0), ['payment.created'])

  const client = await new mongo.MongoClient(service.mongodbUrl).connect()
  const deliveries = client.db().collection<Retry>('deliveries')
  const quietly = { perSecond: QUIET_PER_SECOND, apiKeys: quiet.map(({ apiKey }) => apiKey) }
  const run = (what: string, seconds: number) =>
    measurePhase(bench, service, witness, { what, seconds, streams: [quietly], waitedFor: 1 })
  const beside = async (what: string, { businessId, apiKey }: Merchant) => {
    await actSteadily(bench, service.webUrls, 1, [{ perSecond: 1, apiKeys: [apiKey] }])
    await makeRetriesDue(deliveries, businessId)
    // Without Redis jobs, the service searches MongoDB for due deliveries.
    await bench.emptyRedis()
    const countAttempted = () => deliveries.countDocuments({ businessId, attempts: { $gt: 1 } })
    await waitFor('the first retries', async () => (await countAttempted()) + (await witness.seen()).hanging > 0)
    const phase = await run(what, PHASE_SECONDS)
    if ((await deliveries.countDocuments({ businessId, status: 'CANCELLED' })) > 0)
      throw new Error('The service cancelled retries')
    return { phase, attempted: await countAttempted() }
  }

  await run('warm-up', WARM_UP_SECONDS)
  const without = await run('without a backlog', PHASE_SECONDS)
  const closed = await beside('beside one for a closed port', refused)
  // The next phase must begin without these deliveries.
  await deliveries.deleteMany({ businessId: refused.businessId })
  const silent = await beside('beside one for an endpoint that hangs', hanging)
  await client.close()
  // The witness ends first, so that the worker waits for no response.
  await witness.end()
  await service.end()
  return { without, dead: [closed, silent] }
}

/** Copies a delivery of the service, as retries that are due. */
async function makeRetriesDue(deliveries: mongo.Collection<Retry>, businessId: string): Promise<void> {
  await waitFor('the first delivery', async () => (await deliveries.findOne({ businessId })) !== null)
  const made = (await deliveries.findOne({ businessId })) as Retry
  const endpointId = endpointIdOf(made._id)
  const due = {
    ...made,
    status: 'RETRYING',
    attempts: 1,
    leaseToken: null,
    nextAttemptAt: new Date(Date.now() - 60_000),
  }
  for (let count = 0; count < BACKLOG; count += INSERTED_TOGETHER)
    await deliveries.insertMany(
      Array.from({ length: INSERTED_TOGETHER }, () => ({ ...due, _id: deliveryId(newId(), endpointId) })),
    )
}
