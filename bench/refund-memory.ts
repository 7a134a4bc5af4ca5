import { openApi } from './calls.ts'
import { withDatabase } from './copies.ts'
import { addEndpoint, type Merchant, makeMerchants } from './merchants.ts'
import { peakMemoryMiB } from './process-figures.ts'
import { allRecorded } from './recorded.ts'
import type { Bench } from './rounds.ts'
import { startWebOnly } from './web-and-worker.ts'
import { lastArrival, startWitness } from './witness.ts'

const INTENTS = 3
const REFUNDS_EACH = 50
/** The most endpoints that a business may have. */
const ENDPOINTS = 5
const HEAP_MB = 384

/** The largest metadata of an intent: 50 values of 500 characters of 4 bytes each. */
const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`field_${index}`, '𞤀'.repeat(500)]))

/**
 * Returns the peak memory in MiB, for each round, of a new worker with a small heap that delivers 150 refunds with full
 * metadata.
 */
export async function measureRefundMemory(bench: Bench): Promise<number[]> {
  const witness = await startWitness(bench.runtime, 'refund-memory-endpoints', ENDPOINTS)
  const service = await startWebOnly(bench, 'refund-memory', { WEBHOOK_ALLOWED_HOSTS: witness.allowedHosts })
  const api = openApi(Number(new URL(service.webUrl).port))
  const merchants = await makeMerchants(service.mongodbUrl, service.secretKey, bench.rounds, 'test')
  const peaks: number[] = []
  for (const merchant of merchants) peaks.push(await measureRound(merchant))
  await service.end()
  await Promise.all([api.close(), witness.end()])
  return peaks

  async function measureRound(merchant: Merchant): Promise<number> {
    for (const port of witness.ports)
      await addEndpoint(service.webUrl, merchant, witness.urlOf(port), ['payment.refunded'])
    for (let index = 0; index < INTENTS; index += 1) await refundOften(merchant)
    const worker = service.startWorker({ NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` })
    const deliveries = INTENTS * REFUNDS_EACH * ENDPOINTS
    await lastArrival(witness, deliveries)
    await withDatabase(service.mongodbUrl, async (database) => {
      await allRecorded(database, deliveries)
      await database.collection('deliveries').deleteMany({})
    })
    const peak = peakMemoryMiB(worker.pid)
    await worker.end()
    await witness.forget()
    return peak
  }

  async function refundOften(merchant: Merchant): Promise<void> {
    const created = await api.post(merchant, '/intents', { amount: 1_000_000, metadata })
    const path = `/intents/${(created as { referenceNumber: string }).referenceNumber}`
    await api.post(merchant, `${path}/simulate-payment`, {})
    for (let index = 0; index < REFUNDS_EACH; index += 1) await api.post(merchant, `${path}/refund`, { amount: 100 })
  }
}
