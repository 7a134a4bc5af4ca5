import { startBareNotify } from './bare-notify.ts'
import { withDatabase } from './copies.ts'
import { addEndpoint, makeMerchants } from './merchants.ts'
import { order } from './order.ts'
import { allRecorded } from './recorded.ts'
import { alternate, type Bench, type Pair } from './rounds.ts'
import { sendCalls } from './send-calls.ts'
import { createPath, startService } from './web-and-worker.ts'
import { lastArrival, startWitness } from './witness.ts'

const CONNECTIONS = 64
/** Events of a warm-up, in which the processes compile their code. Each side has two warm-ups. */
export const WARM_UP_EVENTS = 3000
const LIMIT_SECONDS = 60

export interface EndToEnd {
  /** Events from the first create to the arrival of the last webhook. */
  perSecond: number
  /** Creates that got a response. */
  created: number
}

/**
 * Measures events per second, from creates over 64 connections to webhooks at one endpoint. The service alternates with
 * a bare route and worker.
 */
export async function measureEndToEnd(bench: Bench): Promise<Pair<EndToEnd>[]> {
  const witness = await startWitness(bench.runtime, 'end-to-end-endpoint', 1)
  const [url = ''] = witness.ports.map(witness.urlOf)
  const service = await startService(bench, 'end-to-end', {
    WEBHOOK_ALLOWED_HOSTS: witness.allowedHosts,
    RATE_LIMIT_PER_SECOND: '0',
  })
  const [merchant] = await makeMerchants(service.mongodbUrl, service.secretKey, 1, 'test')
  if (merchant === undefined) throw new Error('No merchant was created')
  await addEndpoint(service.webUrl, merchant, url, ['payment.created'])
  const bare = await startBareNotify(bench, 'end-to-end', [url])

  const side = (origin: string, path: string) => async (events: number) => {
    const calls = Array.from({ length: events }, () => ({
      method: 'POST' as const,
      path,
      apiKey: merchant.apiKey,
    }))
    const options = { connections: CONNECTIONS, seconds: LIMIT_SECONDS, eachOnce: true, body: order }
    const { sent, startedAt, perSecond } = await sendCalls(bench.runtime, { origin, calls, ...options })
    if (sent < events) throw new Error(`Only ${sent} of ${events} creates in ${LIMIT_SECONDS} s`)
    const seconds = ((await lastArrival(witness, events)) - startedAt) / 1000
    await witness.forget()
    return { perSecond: events / seconds, created: perSecond }
  }
  const onService = side(service.webUrl, createPath)
  const onBare = side(bare.origin, '/')

  for (const warmUp of [onService, onService, onBare, onBare]) await warmUp(WARM_UP_EVENTS)
  const pairs = await alternate(
    bench.rounds,
    () => onService(bench.events),
    () => onBare(bench.events),
  )
  await withDatabase(service.mongodbUrl, (database) =>
    allRecorded(database, 2 * WARM_UP_EVENTS + bench.rounds * bench.events),
  )
  await Promise.all([service.end(), bare.end()])
  await witness.end()
  return pairs
}
