import { type Call, callApiBriefly } from '../call-api.ts'
import { type CreatedIntent, createIntentBriefly } from '../create-intent.ts'
import { openPage, sendForm } from '../customer.ts'
import { explain, gap, seen, step } from '../screen.ts'
import { seePaid } from '../see-paid.ts'
import { type Stage, writeHeaders } from '../stage.ts'
import { must } from '../wait-for.ts'
import { demoWallet } from '../wallet.ts'

const AMOUNT = 50_000

/** Shows a payment on the hosted page, with a wrong PIN first. Returns the intent, which is PAID. */
export async function payOnPage(stage: Stage): Promise<CreatedIntent & { amount: number }> {
  step(9, 'A customer pays on the hosted page, after a wrong PIN')
  explain("A web shop sends its customer to the intent's payUrl:")
  const created = await createIntentBriefly(stage, {
    amount: AMOUNT,
    label: 'Two bags of rice',
    metadata: { order: '1045' },
  })
  const page = await openPage(`${created.payUrl}?lang=en`)
  const { phone, pin } = demoWallet
  const again = await sendForm(page, { phone, pin: '9999' })
  must(again.status === 422, 'a wrong PIN gets 422')
  explain('The page returns with an empty PIN. Nothing has changed:')
  await checkPending(stage, created)
  const end = await sendForm(again, { phone, pin })
  await seePaid(stage, created, AMOUNT, end)
  await checkWebhooks(stage, created)
  return { ...created, amount: AMOUNT }
}

async function checkPending(stage: Stage, { reference }: CreatedIntent): Promise<void> {
  const intent = await callApiBriefly(200, reading(stage, `/dev/intents/${reference}`), ['status', 'payment'])
  must(intent.status === 'PENDING' && intent.payment === null, 'a wrong PIN leaves the intent PENDING')
}

/** Checks the list of deliveries. It is complete, because the deliveries of an intent are created in order. */
async function checkWebhooks(stage: Stage, { reference }: CreatedIntent): Promise<void> {
  explain('All webhooks so far, by the API:')
  const { items } = await callApiBriefly(200, reading(stage, '/dev/webhooks/events?limit=100'), ['total'])
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

function reading({ service, key }: Stage, path: string): Call {
  const { Authorization = '' } = writeHeaders(key)
  return { origin: service.origin, method: 'GET', path, headers: { Authorization } }
}
