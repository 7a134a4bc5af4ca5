import { relayOutboxes } from '../src/webhooks/relay.ts'
import type { QueueWorker } from './run/queue-worker.ts'

/** Hands events from outboxes on to deliveries. */
export const outboxRelay: QueueWorker<'outbox-relay'> = {
  queue: 'outbox-relay',
  // The next poll finds the events in their outbox.
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
