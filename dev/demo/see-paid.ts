import type { CreatedIntent } from './create-intent.ts'
import type { Page } from './customer.ts'
import { gap, mru, seen } from './screen.ts'
import { noteWebhook } from './show-webhook.ts'
import { type Genuine, nextWebhook, type Stage } from './stage.ts'
import { must } from './wait-for.ts'
import { demoWallet } from './wallet.ts'

/** Checks the last page of a payment and its webhook, and shows the webhook. `amount` is in centimes. */
export async function seePaid(
  stage: Stage,
  { reference }: CreatedIntent,
  amount: number,
  page: Page,
): Promise<Genuine> {
  must(page.status === 200 && page.html.text.includes(reference), 'the last page names the payment')
  const expected = { event: 'payment.confirmed', reference, status: 'PAID', respondedWith: 200 } as const
  const confirmed = await nextWebhook(stage, 0, expected)
  gap()
  noteWebhook(confirmed)
  const { data } = confirmed.event
  must(data.amount === amount, 'the webhook names the amount paid')
  must(data.payer_phone === demoWallet.masked, "the payer's phone number is masked")
  const { provider_ttc: fromMerchant, payer_ttc: fromPayer, total_revenue: revenue } = data.commission
  must(fromMerchant > 0 && fromPayer > 0 && revenue > 0, 'the payment earns a commission')
  gap()
  seen(`amount ${mru(amount)}, paid by ${data.payer_phone} at ${data.paid_at}`)
  seen(
    `commission: ${mru(fromMerchant)} from the merchant, ${mru(fromPayer)} from the payer; ${mru(revenue)} after taxes`,
  )
  return confirmed
}
