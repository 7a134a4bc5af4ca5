import { callApiRefused } from '../call-api.ts'
import { createIntentBriefly } from '../create-intent.ts'
import { explain, gap, seen, step } from '../screen.ts'
import { noteWebhook } from '../show-webhook.ts'
import { nextWebhook, type Stage, writeHeaders } from '../stage.ts'
import { must } from '../wait-for.ts'

/** Shows a failed payment, simulated by the API. */
export async function failToPay(stage: Stage): Promise<void> {
  step(11, 'A payment fails, and the merchant gets payment.failed')
  explain('With a test key a merchant can try each outcome without a customer. Here there is too little money:')
  const stove = { amount: 30_000, label: 'A stove', metadata: { order: '1046' } }
  const { reference } = await createIntentBriefly(stage, stove)
  const { code, details } = await callApiRefused(402, {
    origin: stage.service.origin,
    method: 'POST',
    path: `/dev/intents/${reference}/simulate-payment`,
    headers: { ...writeHeaders(stage.key), 'Content-Type': 'application/json' },
    body: { outcome: 'insufficient_funds' },
  })
  must(code === 'PAYMENT_FAILED', 'the error is PAYMENT_FAILED')
  must(details?.status === 'PENDING' && details.retryable === true, 'the intent can still be paid')
  const expected = { event: 'payment.failed', reference, status: 'PENDING', respondedWith: 200 } as const
  const failed = await nextWebhook(stage, 0, expected)
  must(failed.event.data.failure?.retryable === true, 'the webhook says that the payment may be retried')
  gap()
  noteWebhook(failed)
  gap()
  seen('still PENDING: the customer may try again, or pay by another wallet')
}
