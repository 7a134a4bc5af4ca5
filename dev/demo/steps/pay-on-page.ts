import { type Asked, askAgain } from '../ask-for-payment.ts'
import { callApiBriefly } from '../call-api.ts'
import { openPage, sendForm } from '../customer.ts'
import { seen, step, tell } from '../screen.ts'
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
  mustBeAllTold(stage, asked)
  return { ...asked, amount: AMOUNT }
}

async function mustBePending({ service, key }: Stage, { reference }: Asked): Promise<void> {
  const { Authorization = '' } = writeHeaders(key)
  const path = `/dev/intents/${reference}`
  const call = { origin: service.origin, method: 'GET', path, headers: { Authorization } } as const
  const intent = await callApiBriefly(200, call, ['status', 'payment'])
  must(intent.status === 'PENDING' && intent.payment === null, 'a wrong PIN leaves the intent PENDING')
}

function mustBeAllTold({ receiver }: Stage, { reference }: Asked): void {
  const told = receiver.arrivals.flatMap(({ event }) => event ?? [])
  const ofThis = told.filter(({ data }) => data.reference_number === reference).map(({ event }) => event)
  must(ofThis.toSorted().join() === 'payment.confirmed,payment.created', 'of the wrong PIN nobody is told')
  seen('of the wrong PIN nobody was told')
}
