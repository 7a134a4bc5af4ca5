import type { mongo } from 'mongoose'
import { withDatabase } from './copies.ts'
import { type Drained, drainOutboxes, startEndpoints, WARM_UP_DRAINS } from './deliver.ts'
import { buildEarlier } from './earlier.ts'
import { openOutboxes } from './outboxes.ts'
import { alternate, type Bench, type Pair } from './rounds.ts'
import { startWebOnly } from './web-and-worker.ts'

/**
 * Measures the processor time of a delivery from the outbox to the recorded result: alternately in this version and in
 * that of another checkout. Each has its own database and worker.
 */
export async function measureRelayCost(bench: Bench, checkout: string): Promise<Pair<Drained>[]> {
  const programs = buildEarlier(checkout)
  const { address, allowedHosts, urls, endpointServer } = await startEndpoints(bench)
  const side = async (name: string, own: Bench, database: mongo.Db) => {
    const service = await startWebOnly(own, name, { WEBHOOK_ALLOWED_HOSTS: allowedHosts })
    const outboxes = await openOutboxes(own, database, service, urls)
    const worker = service.startWorker()
    const drain = () => drainOutboxes(own, address, { database, outboxes, worker })
    for (let warmUp = 0; warmUp < WARM_UP_DRAINS; warmUp += 1) await drain()
    const end = () => Promise.all([outboxes.close(), service.end()])
    return { drain, end }
  }
  const earlier = { ...bench, runtime: { ...bench.runtime, programs } }
  const pairs = await withDatabase(bench.mongodbUrl('relay-cost'), (database) =>
    withDatabase(bench.mongodbUrl('relay-cost-before'), async (databaseBefore) => {
      const now = await side('relay-cost', bench, database)
      const before = await side('relay-cost-before', earlier, databaseBefore)
      const measured = await alternate(bench.rounds, now.drain, before.drain)
      const logged = await database.collection('events').countDocuments()
      const due = bench.deliveries * (WARM_UP_DRAINS + bench.rounds)
      if (logged !== due) throw new Error(`${logged} events are in the log, not ${due}`)
      await Promise.all([now.end(), before.end()])
      return measured
    }),
  )
  await endpointServer.end()
  return pairs
}
