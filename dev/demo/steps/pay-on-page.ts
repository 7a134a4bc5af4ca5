import { type Asked, askAgain } from '../ask-for-payment.ts'
import { type Call, callApiBriefly } from '../call-api.ts'
import { openPage, sendForm } from '../customer.ts'
import { gap, seen, step, tell } from '../screen.ts'
import { seePaid } from '../see-paid.ts'
import { type Stage, writeHeaders } from '../stage.ts'
import { must } from '../wait-for.ts'
import { demoWallet } from '../wallet.ts'

const AMOUNT = 50_000

/** By the hosted page, with a wrong PIN first. Answers the intent, which is PAID. */
export async function payOnPage(stage: Stage): Promise<Asked & { amount: number }> {
  step(9, 'A customer pays on the hosted page, after a wrong PIN')
  tell("A web shop sends its customer to the intent's payUrl:")
  const asked = await askAgain(stage, {
    amount: AMOUNT,
    label: 'Two bags of rice',
    metadata: { order: '1045' },
  })
  const page = await openPage(`${asked.payUrl}?lang=en`)
  const { phone, pin } = demoWallet
  const again = await sendForm(page, { phone, pin: '9999' })
  must(again.status === 422, 'a wrong PIN is answered 422')
  tell('The page came back with the PIN to type again. Nothing has changed:')
  await mustBePending(stage, asked)
  const end = await sendForm(again, { phone, pin })
  await seePaid(stage, asked, AMOUNT, end)
  await mustBeAllTold(stage, asked)
  return { ...asked, amount: AMOUNT }
}

async function mustBePending(stage: Stage, { reference }: Asked): Promise<void> {
  const intent = await callApiBriefly(200, reading(stage, `/dev/intents/${reference}`), ['status', 'payment'])
  must(intent.status === 'PENDING' && intent.payment === null, 'a wrong PIN leaves the intent PENDING')
}

/** By the list of deliveries: of all that an intent tells they are made in order, so before the last one arrived. */
async function mustBeAllTold(stage: Stage, { reference }: Asked): Promise<void> {
  tell('All webhooks so far, by the API:')
  const { items } = await callApiBriefly(200, reading(stage, '/dev/webhooks/events?limit=100'), ['total'])
  const ofThis = (items as Delivery[]).filter(({ referenceNumber }) => referenceNumber === reference)
  const told = ofThis.map(({ event }) => event).toSorted()
  must(told.join() === 'payment.confirmed,payment.created', 'of the wrong PIN nobody is told')
  gap()
  seen('two of them are about this payment: of the wrong PIN nobody was told')
}

interface Delivery {
  event: string
  referenceNumber: string
}

function reading({ service, key }: Stage, path: string): Call {
  const { Authorization = '' } = writeHeaders(key)
  return { origin: service.origin, method: 'GET', path, headers: { Authorization } }
}
