import { callApi } from '../call-api.ts'
import { createIntent } from '../create-intent.ts'
import { explain, gap, step } from '../screen.ts'
import { noteWebhook, showWebhook } from '../show-webhook.ts'
import { nextWebhook, type Stage, writeHeaders } from '../stage.ts'
import { must } from '../wait-for.ts'

/** One intent, from its creation to its end, with both webhooks. */
export async function createAndCancel(stage: Stage, secret: string): Promise<void> {
  const { service, endpointServer, key } = stage

  step(4, 'The merchant creates a payment intent')
  explain(
    'A payment intent is one request for money: here 500.00 MRU, written in centimes. The idempotency key lets the ' +
      'merchant repeat the same request after a lost connection without creating a second intent.',
  )
  const beforeCreate = endpointServer.arrivals.length
  const rice = { amount: 50_000, label: 'Two bags of rice', metadata: { order: '1042' } }
  const { reference } = await createIntent(stage, rice)
  explain('The customer pays with the 6-digit code or at the payUrl. The intent waits 24 hours for that.')

  step(5, 'The merchant gets a webhook: payment.created')
  explain('The merchant received this, byte for byte (the long line is cut to fit):')
  const pending = { event: 'payment.created', reference, status: 'PENDING', respondedWith: 200 } as const
  const created = await nextWebhook(stage, beforeCreate, pending)
  showWebhook(created, secret)

  step(6, 'The merchant cancels, and gets payment.cancelled')
  explain('A change and its event go to MongoDB in one write, so neither exists without the other.')
  const beforeCancel = endpointServer.arrivals.length
  const path = `/dev/intents/${reference}/cancel`
  const headers = writeHeaders(key)
  const intent = await callApi(200, { origin: service.origin, method: 'POST', path, headers })
  must(intent.status === 'CANCELLED', 'the intent is CANCELLED')
  const over = { event: 'payment.cancelled', reference, status: 'CANCELLED', respondedWith: 200 } as const
  const cancelled = await nextWebhook(stage, beforeCancel, over)
  gap()
  noteWebhook(cancelled)
  must(cancelled.event.id !== created.event.id, 'each webhook has an id of its own')
}
