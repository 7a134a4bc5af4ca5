import { withDatabase } from './copies.ts'
import { type Drained, drainOutboxes, startEndpoints, WARM_UP_DRAINS } from './deliver.ts'
import { openOutboxes } from './outboxes.ts'
import { alternate, type Bench, type Pair } from './rounds.ts'
import { startWebOnly } from './web-and-worker.ts'

/**
 * Measures how fast one `worker` delivers the events of payments, which it also books in the ledger, alternately with
 * events of creates, which it does not book.
 */
export async function measureBooking(bench: Bench): Promise<Pair<Drained>[]> {
  const { address, allowedHosts, urls, endpointServer } = await startEndpoints(bench)
  const service = await startWebOnly(bench, 'booking', { WEBHOOK_ALLOWED_HOSTS: allowedHosts })
  const pairs = await withDatabase(service.mongodbUrl, async (database) => {
    const paid = await openOutboxes(bench, database, service, urls, 'payment.confirmed')
    const created = await openOutboxes(bench, database, service, urls)
    const worker = service.startWorker()
    const drain = (outboxes: typeof paid) => () => drainOutboxes(bench, address, { database, outboxes, worker })
    for (let warmUp = 0; warmUp < WARM_UP_DRAINS; warmUp += 1)
      for (const outboxes of [paid, created]) await drain(outboxes)()
    const measured = await alternate(bench.rounds, drain(paid), drain(created))
    const entries = await database.collection('ledgerentries').countDocuments({ type: 'payment' })
    const due = bench.deliveries * (WARM_UP_DRAINS + bench.rounds)
    if (entries !== due) throw new Error(`${entries} payments were booked, not ${due}`)
    await Promise.all([paid.close(), created.close()])
    return measured
  })
  await service.end()
  await endpointServer.end()
  return pairs
}
