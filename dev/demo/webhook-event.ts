/** The events of the endpoint. */
export const subscribed = [
  'payment.created',
  'payment.confirmed',
  'payment.failed',
  'payment.refunded',
  'payment.cancelled',
  'payment.expired',
  'order.new',
  'endpoint.failing',
] as const
export type Subscribed = (typeof subscribed)[number]

/** The fields of the envelope of SPEC 6.2 that the demo uses. Amounts are in centimes. */
export interface WebhookEvent {
  id: string
  event: string
  sandbox: boolean
  data: {
    reference_number: string
    amount: number
    status: string
    paid_at: string | null
    payer_phone: string | null
    commission: { provider_ttc: number; payer_ttc: number; total_revenue: number }
    failure?: { code: string; retryable: boolean }
    refund?: { amount: number }
  }
}
