import { startBareNotify } from './bare-notify.ts'
import { addEndpoint, makeMerchants } from './merchants.ts'
import { percentile, type Waits, waitsOf } from './percentile.ts'
import { alternate, type Bench, type Pair } from './rounds.ts'
import { actSteadily, createPath, responseMs, startService } from './web-and-worker.ts'
import { startWitness, waitsAfter } from './witness.ts'

const PER_SECOND = 200
/** The endpoints of the merchant. The bare worker posts to as many. */
const ENDPOINTS = 2
/** A new process first compiles its code. At this rate, each event takes three times as long for some ten seconds. */
const WARM_UP_SECONDS = 15

/** The figures of one side of a round, in milliseconds after the response of the create. */
export interface Latency extends Waits {
  /** First attempts that arrived per second of load. */
  perSecond: number
  /** p99 of the create itself. */
  createP99: number
}

/**
 * Measures how soon after the response of a create its events arrive. The service alternates with a bare route and
 * worker.
 */
export async function measureLatency(bench: Bench): Promise<Pair<Latency>[]> {
  const witness = await startWitness(bench.runtime, 'latency-endpoints', ENDPOINTS)
  const service = await startService(bench, 'latency', { WEBHOOK_ALLOWED_HOSTS: witness.allowedHosts })
  const [merchant] = await makeMerchants(service.mongodbUrl, service.secretKey, 1, 'test')
  if (merchant === undefined) throw new Error('No merchant was created')
  for (const port of witness.ports)
    await addEndpoint(service.webUrl, merchant, witness.urlOf(port), ['payment.created'])
  const bare = await startBareNotify(bench, 'latency', witness.ports.map(witness.urlOf))

  const streams = [{ perSecond: PER_SECOND, apiKeys: [merchant.apiKey] }]
  const side = (origin: string, path: string) => async (seconds: number) => {
    const creates = await actSteadily(bench, [origin], seconds, streams, path)
    const waits = await waitsAfter(witness, creates, ENDPOINTS)
    await witness.forget()
    return { ...waitsOf(waits), perSecond: waits.length / seconds, createP99: percentile(responseMs(creates), 0.99) }
  }
  const onService = side(service.webUrl, createPath)
  const onBare = side(bare.origin, '/')

  await onService(WARM_UP_SECONDS)
  await onBare(WARM_UP_SECONDS)
  const seconds = bench.latencySeconds
  const pairs = await alternate(
    bench.rounds,
    () => onService(seconds),
    () => onBare(seconds),
  )
  await Promise.all([service.end(), bare.end()])
  await witness.end()
  return pairs
}
