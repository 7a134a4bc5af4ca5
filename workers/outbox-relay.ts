import { relayOutboxes } from '../src/relay/relay.ts'
import type { QueueWorker } from './run/queue-worker.ts'

/** Turns events of intents and orders into deliveries. */
export const outboxRelay: QueueWorker<'outbox-relay'> = {
  queue: 'outbox-relay',
  // Events that weren't relayed are still in their outboxes, where the next poll finds them.
  afterFault: 'complete',
  async run(deps, { intentIds, orderIds }) {
    const { causes, ...counts } = await relayOutboxes(deps, { intentIds, orderIds })
    const [first] = causes
    return {
      nextStep: { next: 'complete' },
      event: 'outbox.relayed',
      log: {
        intents: intentIds.length,
        orders: orderIds.length,
        ...counts,
        requestId: causes.length === 1 ? (first?.requestId ?? null) : null,
      },
      traces: causes.flatMap(({ traceparent }) => traceparent ?? []),
    }
  },
}
