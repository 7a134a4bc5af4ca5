import { relayOutboxes } from '../src/relay/relay.ts'
import type { QueueWorker } from './run/run-job.ts'

export const outboxRelayWorker: QueueWorker<'outbox-relay'> = {
  afterFault: 'complete',
  async run(deps, { intentIds, orderIds }) {
    const { causes, ...counts } = await relayOutboxes(deps, { intentIds, orderIds })
    const requestId = causes.length === 1 ? (causes[0]?.requestId ?? null) : null
    return {
      event: 'outbox.relayed',
      log: { intents: intentIds.length, orders: orderIds.length, ...counts, requestId },
      traces: causes.flatMap(({ traceparent }) => traceparent ?? []),
    }
  },
}
