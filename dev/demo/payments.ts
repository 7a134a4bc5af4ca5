import { retryWaitSeconds as shippedSeconds } from '../../schemas/deliveries.ts'
import { callApi } from './call-api.ts'
import { openPage, type Page, sendForm } from './customer.ts'
import type { Genuine } from './endpoint-server.ts'
import { retrySeconds } from './processes.ts'
import { explain, gap, mru, seen, step } from './screen.ts'
import {
  type CreatedIntent,
  createIntent,
  createIntentBriefly,
  demoWallet,
  get,
  nextWebhook,
  post,
  type Stage,
  seeWebhook,
  showWebhook,
} from './stage.ts'
import { must } from './wait-for.ts'

export async function createAndCancel(stage: Stage, secret: string): Promise<void> {
  step(4, 'The merchant creates a payment intent')
  explain(
    'A payment intent is one request for money: here 500.00 MRU, written in centimes. The idempotency key lets the ' +
      'merchant repeat the same request after a lost connection without creating a second intent.',
  )
  const rice = { amount: 50_000, label: 'Two bags of rice', metadata: { order: '1042' } }
  const { reference } = await createIntent(stage, rice)
  explain('The customer pays with the 6-digit code or at the payUrl. The intent waits 24 hours for that.')

  step(5, 'The merchant gets a webhook: payment.created')
  explain('The merchant received this, byte for byte (the long line is cut to fit):')
  const created = await nextWebhook(stage, { event: 'payment.created', reference, status: 'PENDING' })
  await showWebhook(created, secret)

  step(6, 'The merchant cancels, and gets payment.cancelled')
  explain('A change and its event go to MongoDB in one write, so neither exists without the other.')
  const intent = await callApi(200, post(stage, `/dev/intents/${reference}/cancel`))
  must(intent.status === 'CANCELLED', 'the intent is CANCELLED')
  const cancelled = await seeWebhook(stage, { event: 'payment.cancelled', reference, status: 'CANCELLED' })
  must(cancelled.event.id !== created.event.id, 'each webhook has an id of its own')
}

const inWords = (seconds: number) =>
  seconds < 60 ? `${seconds} s` : seconds < 3600 ? `${seconds / 60} min` : `${seconds / 3600} h`

export async function failAndRetry(stage: Stage): Promise<void> {
  const { endpointServer } = stage
  const [wait] = retrySeconds

  step(7, 'The endpoint fails, and the service retries')
  explain('Servers break. The merchant creates another intent, and responds with 500 to its webhook:')
  endpointServer.failNext('payment.created')
  const lamp = { amount: 30_000, label: 'A lamp', metadata: { order: '1043' } }
  const { reference } = await createIntentBriefly(stage, lamp)
  const expected = { event: 'payment.created', reference, status: 'PENDING' } as const
  const failed = await nextWebhook(stage, { ...expected, respondedWith: 500 })
  gap()
  seen(`attempt 1 arrived at ${clock(failed)}: responded with 500`)
  explain(
    `Attempt 2 is due ${wait} s later. This demo waits ${retrySeconds.join(', ')} seconds between its 8 attempts; ` +
      `as shipped, the waits are ${shippedSeconds.map(inWords).join(', ')}.`,
  )

  const afterFailed = endpointServer.arrivals.indexOf(failed) + 1
  const again = await nextWebhook(stage, expected, afterFailed)
  const waitedMs = again.at.getTime() - failed.at.getTime()
  must(waitedMs >= wait * 1000, `attempt 2 comes no earlier than ${wait} s after attempt 1`)
  must(again.event.id === failed.event.id, 'both attempts have the same id')
  must(again.body.equals(failed.body), 'both attempts have the same bytes')
  must(
    again.headers['x-service-timestamp'] !== failed.headers['x-service-timestamp'],
    'each attempt has its own timestamp',
  )
  gap()
  seen(`attempt 2 arrived at ${clock(again)}, ${(waitedMs / 1000).toFixed(2)} s later: responded with 200`)
  seen(`same id ${again.event.id}, so a merchant who had handled it would know`)
  seen(`same ${again.body.length} bytes, with a new timestamp and signature: signature matches`)
}

const clock = ({ at }: Genuine): string => at.toISOString().slice(11, 23)

export async function payByCode(stage: Stage): Promise<void> {
  step(8, 'A customer pays at the counter, by the 6-digit code')
  explain('The merchant creates an intent of 125.00 MRU and gives the customer the code of the response:')
  const teapot = { amount: 12_500, label: 'A teapot', metadata: { order: '1044' } }
  const created = await createIntentBriefly(stage, teapot)
  explain(
    'The customer opens the page where codes are typed. This is what a browser without JavaScript sends and gets; ' +
      'test codes have a page of their own for each business.',
  )
  const counter = await openPage(`${stage.service.origin}/sandbox/${stage.businessId}?lang=en`)
  const bill = await sendForm(counter, { code: created.code })
  explain(`The code led to the page of the payment. The customer confirms with wallet and PIN:`)
  const { phone, pin } = demoWallet
  const end = await sendForm(bill, { phone, pin })
  await seePaid(stage, created, teapot.amount, end)
}

export async function payOnPage(stage: Stage): Promise<CreatedIntent & { amount: number }> {
  step(9, 'A customer pays on the hosted page, after a wrong PIN')
  explain("A web shop sends its customer to the intent's payUrl:")
  const rice = { amount: 50_000, label: 'Two bags of rice', metadata: { order: '1045' } }
  const created = await createIntentBriefly(stage, rice)
  const page = await openPage(`${created.payUrl}?lang=en`)
  const { phone, pin } = demoWallet
  const again = await sendForm(page, { phone, pin: '9999' })
  must(again.status === 422, 'a wrong PIN gets 422')
  explain('The page returns with an empty PIN. Nothing has changed:')
  const { reference } = created
  const intent = await callApi(200, get(stage, `/dev/intents/${reference}`), ['status', 'payment'])
  must(intent.status === 'PENDING' && intent.payment === null, 'a wrong PIN leaves the intent PENDING')
  const end = await sendForm(again, { phone, pin })
  await seePaid(stage, created, rice.amount, end)
  await checkWebhooks(stage, created)
  return { ...created, amount: rice.amount }
}

/** The list of deliveries must be complete, because an intent's deliveries are created in order. */
async function checkWebhooks(stage: Stage, { reference }: CreatedIntent): Promise<void> {
  explain('All webhooks so far, by the API:')
  const { items } = await callApi(200, get(stage, '/dev/webhooks/events?limit=100'), ['total'])
  const ofThis = (items as Delivery[]).filter(({ referenceNumber }) => referenceNumber === reference)
  const events = ofThis.map(({ event }) => event).toSorted()
  must(events.join() === 'payment.confirmed,payment.created', 'the wrong PIN causes no webhook')
  gap()
  seen('two of them are about this payment, and none about the wrong PIN')
}

interface Delivery {
  event: string
  referenceNumber: string
}

export async function payOpenAmount(stage: Stage): Promise<void> {
  step(10, 'A customer chooses the amount, and confirms it with wallet and PIN')
  explain('An OPEN intent has no amount. Its page asks for one first:')
  const gift = { amountType: 'OPEN', label: 'For the school', metadata: { campaign: 'roof' } } as const
  const created = await createIntentBriefly(stage, gift)
  const page = await openPage(`${created.payUrl}?lang=en`)
  const confirmation = await sendForm(page, { amount: '75.50' })
  const { phone, pin } = demoWallet
  const end = await sendForm(confirmation, { phone, pin })
  await seePaid(stage, created, 7550, end)
}

export async function failToPay(stage: Stage): Promise<void> {
  step(11, 'A payment fails, and the merchant gets payment.failed')
  explain(
    'With a test key a merchant can try each outcome without a customer. Here there is too little money:',
  )
  const stove = { amount: 30_000, label: 'A stove', metadata: { order: '1046' } }
  const { reference } = await createIntentBriefly(stage, stove)
  const paying = post(stage, `/dev/intents/${reference}/simulate-payment`, { outcome: 'insufficient_funds' })
  type Refused = { code: string; details?: Record<string, unknown> }
  const { code, details } = (await callApi(402, paying)) as Refused
  must(code === 'PAYMENT_FAILED', 'the error is PAYMENT_FAILED')
  must(details?.status === 'PENDING' && details.retryable === true, 'the intent can still be paid')
  const failed = await seeWebhook(stage, { event: 'payment.failed', reference, status: 'PENDING' })
  must(failed.event.data.failure?.retryable === true, 'the webhook says that the payment may be retried')
  gap()
  seen('still PENDING: the customer may try again, or pay by another wallet')
}

export async function refundHalf(stage: Stage, paid: CreatedIntent & { amount: number }): Promise<void> {
  const { reference } = paid
  const half = paid.amount / 2
  step(12, 'Half of a payment is refunded, and the merchant gets payment.refunded')
  explain('One of the two bags of rice was torn:')
  const call = post(stage, `/dev/intents/${reference}/refund`, { amount: half, reason: 'One bag was torn' })
  const intent = await callApi(200, call, ['status', 'payment', 'refunds', 'totalAmountRefunded'])
  must(intent.status === 'REFUNDED' && intent.totalAmountRefunded === half, 'half is refunded')
  const refunded = await seeWebhook(stage, { event: 'payment.refunded', reference, status: 'REFUNDED' })
  must(refunded.event.data.refund?.amount === half, 'the webhook names the amount that went back')
  gap()
  seen(`${mru(half)} went back; ${mru(paid.amount - half)} are left and could follow`)
}

export function leaveOpen(stage: Stage): Promise<CreatedIntent> {
  step(16, 'A payment is left for you')
  explain('The merchant creates one more intent:')
  return createIntentBriefly(stage, { amount: 20_000, label: 'A kettle', metadata: { order: '1047' } })
}

/** Checks a payment's last page and its webhook, and shows the webhook. `amount` is in centimes. */
async function seePaid(stage: Stage, { reference }: CreatedIntent, amount: number, page: Page) {
  must(page.status === 200 && page.html.text.includes(reference), 'the last page names the payment')
  const confirmed = await seeWebhook(stage, { event: 'payment.confirmed', reference, status: 'PAID' })
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
}
