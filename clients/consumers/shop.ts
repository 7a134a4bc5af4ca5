import {
  createPayments,
  type Intent,
  type Payments,
  PaymentsError,
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
} from '@payment-intents-mru/client'

const payments: Payments = createPayments({ key: 'sk_test_x', baseUrl: 'https://pay.example' })

export async function shop(headers: WebhookHeaders, body: string): Promise<string[]> {
  const { referenceNumber } = await payments.createIntent({ amount: 50000, metadata: { order: '17' } })
  const intent: Intent = await payments.getIntent({ referenceNumber })
  const labels: string[] = [intent.label ?? '', intent.type]
  for await (const each of payments.listAll('listIntents', { status: 'PAID' }))
    labels.push(each.referenceNumber)
  for await (const { type } of payments.followEvents({ type: 'payment.confirmed' })) labels.push(type)
  const event: WebhookEvent & { eventId: string } = await verifyWebhook({ body, headers, secret: ['a', 'b'] })
  if (event.event === 'payment.confirmed') labels.push(event.data.reference_number, event.eventId)
  const file: Response = await payments.exportPayments({ from: '2026-01-01', to: '2026-01-31' })
  labels.push(await file.text())
  try {
    await payments.refundIntent({ referenceNumber, amount: 5 }, { idempotencyKey: 'refund-7' })
  } catch (error) {
    if (error instanceof PaymentsError) labels.push(error.code, error.message)
  }
  return labels
}

export async function mistakes(): Promise<void> {
  // @ts-expect-error: a field that does not exist.
  await payments.createIntent({ amount: 500, lable: 'Order 17' })
  // @ts-expect-error: text for a number.
  await payments.createIntent({ amount: '500' })
  // @ts-expect-error: a missing path parameter.
  await payments.refundIntent({ amount: 500 })
  // @ts-expect-error: an operation that is not a list.
  payments.listAll('createIntent', {})
  // @ts-expect-error: a field that the response does not have.
  void (await payments.getIntent({ referenceNumber: 'PI-1' })).reference_number
}
