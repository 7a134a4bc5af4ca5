import { withDatabase } from './copies.ts'
import { addEndpoint, type Merchant, makeMerchants } from './merchants.ts'
import { percentile } from './percentile.ts'
import { allRecorded } from './recorded.ts'
import type { Bench } from './rounds.ts'
import { actSteadily, startService } from './web-and-worker.ts'
import { startWitness, waitsAfter } from './witness.ts'

const PER_SECOND = 10
const SECONDS = 60

/** Milliseconds from the response of a create to the first attempt. */
export interface SlowEndpoint {
  p50: number
  p90: number
  max: number
}

/**
 * Measures the delay of events to an endpoint that takes 3 s for each, from its first event. Each round has a new
 * business and endpoint.
 */
export async function measureSlowEndpoint(bench: Bench): Promise<SlowEndpoint[]> {
  const witness = await startWitness(bench.runtime, 'slow-endpoints', bench.rounds)
  const service = await startService(bench, 'slow-endpoint', { WEBHOOK_ALLOWED_HOSTS: witness.allowedHosts })
  const merchants = await makeMerchants(service.mongodbUrl, service.secretKey, bench.rounds, 'test')
  const measured: SlowEndpoint[] = []
  for (const [round, merchant] of merchants.entries()) {
    const port = witness.ports[round] ?? 0
    await witness.behave(port, 'slow')
    measured.push(await measureRound(port, merchant))
    await witness.forget()
  }
  await withDatabase(service.mongodbUrl, (database) => allRecorded(database, bench.rounds * SECONDS * PER_SECOND))
  await service.end()
  await witness.end()
  return measured

  async function measureRound(port: number, merchant: Merchant): Promise<SlowEndpoint> {
    await addEndpoint(service.webUrl, merchant, witness.urlOf(port), ['payment.created'])
    const streams = [{ perSecond: PER_SECOND, apiKeys: [merchant.apiKey] }]
    const creates = await actSteadily(bench, service.webUrls, SECONDS, streams)
    const waits = await waitsAfter(witness, creates, 1)
    return { p50: percentile(waits, 0.5), p90: percentile(waits, 0.9), max: percentile(waits, 1) }
  }
}
