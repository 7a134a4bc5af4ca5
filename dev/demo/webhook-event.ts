/** What this merchant wants to be told. */
export const subscribed = [
  'payment.created',
  'payment.confirmed',
  'payment.failed',
  'payment.refunded',
  'payment.cancelled',
  'payment.expired',
  'order.new',
] as const
export type Subscribed = (typeof subscribed)[number]

/** The envelope of SPEC 6.2, as far as the demo looks into it. Amounts are in centimes. */
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
