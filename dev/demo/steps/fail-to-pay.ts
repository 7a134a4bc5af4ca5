import { askAgain } from '../ask-for-payment.ts'
import { callApiInVain } from '../call-api.ts'
import { gap, seen, step, tell } from '../screen.ts'
import { noteWebhook } from '../show-webhook.ts'
import { nextWebhook, type Stage, writeHeaders } from '../stage.ts'
import { must } from '../wait-for.ts'

/** A payment that does not succeed, without a customer: by the API. */
export async function failToPay(stage: Stage): Promise<void> {
  step(11, 'A payment fails, and the merchant is told: payment.failed')
  tell('With a test key a merchant can try each outcome without a customer. Here there is too little money:')
  const stove = { amount: 30_000, label: 'A stove', metadata: { order: '1046' } }
  const { reference } = await askAgain(stage, stove)
  const { code, details } = await callApiInVain(402, {
    origin: stage.service.origin,
    method: 'POST',
    path: `/dev/intents/${reference}/simulate-payment`,
    headers: { ...writeHeaders(stage.key), 'Content-Type': 'application/json' },
    body: { outcome: 'insufficient_funds' },
  })
  must(code === 'PAYMENT_FAILED', 'the error is PAYMENT_FAILED')
  must(details?.status === 'PENDING' && details.retryable === true, 'the intent can still be paid')
  const told = { event: 'payment.failed', reference, status: 'PENDING', answered: 200 } as const
  const failed = await nextWebhook(stage, 0, told)
  must(failed.event.data.failure?.retryable === true, 'the webhook says that it may be tried again')
  gap()
  noteWebhook(failed)
  gap()
  seen('still PENDING: the customer may try again, or pay by another wallet')
}
