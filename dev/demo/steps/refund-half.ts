import { callApiBriefly } from '../call-api.ts'
import type { CreatedIntent } from '../create-intent.ts'
import { explain, gap, mru, seen, step } from '../screen.ts'
import { noteWebhook } from '../show-webhook.ts'
import { nextWebhook, type Stage, writeHeaders } from '../stage.ts'
import { must } from '../wait-for.ts'

/** Shows a refund of half of a payment. */
export async function refundHalf(stage: Stage, paid: CreatedIntent & { amount: number }): Promise<void> {
  const { reference } = paid
  const half = paid.amount / 2
  step(12, 'Half of a payment is refunded, and the merchant gets payment.refunded')
  explain('One of the two bags of rice was torn:')
  const call = {
    origin: stage.service.origin,
    method: 'POST',
    path: `/dev/intents/${reference}/refund`,
    headers: { ...writeHeaders(stage.key), 'Content-Type': 'application/json' },
    body: { amount: half, reason: 'One bag was torn' },
  } as const
  const intent = await callApiBriefly(200, call, ['status', 'payment', 'refunds', 'totalAmountRefunded'])
  must(intent.status === 'REFUNDED' && intent.totalAmountRefunded === half, 'half is refunded')
  const expected = { event: 'payment.refunded', reference, status: 'REFUNDED', respondedWith: 200 } as const
  const refunded = await nextWebhook(stage, 0, expected)
  must(refunded.event.data.refund?.amount === half, 'the webhook names the amount that went back')
  gap()
  noteWebhook(refunded)
  gap()
  seen(`${mru(half)} went back; ${mru(paid.amount - half)} are left and could follow`)
}
