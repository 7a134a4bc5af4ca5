import type { Asked } from './ask-for-payment.ts'
import type { Page } from './customer.ts'
import { gap, mru, seen } from './screen.ts'
import { noteWebhook } from './show-webhook.ts'
import { type Genuine, nextWebhook, type Stage } from './stage.ts'
import { must } from './wait-for.ts'
import { demoWallet } from './wallet.ts'

/** Checks the page at the end of a payment and what the merchant is told of it, and shows the latter. `amount` is in centimes. */
export async function seePaid(
  stage: Stage,
  { reference }: Asked,
  amount: number,
  page: Page,
): Promise<Genuine> {
  must(page.status === 200 && page.html.text.includes(reference), 'the last page names the payment')
  const told = { event: 'payment.confirmed', reference, status: 'PAID', answered: 200 } as const
  const confirmed = await nextWebhook(stage, 0, told)
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
