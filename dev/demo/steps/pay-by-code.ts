import { createIntentBriefly } from '../create-intent.ts'
import { openPage, sendForm } from '../customer.ts'
import { explain, step } from '../screen.ts'
import { seePaid } from '../see-paid.ts'
import type { Stage } from '../stage.ts'
import { demoWallet } from '../wallet.ts'

/** Shows a payment in person: the customer types the code and confirms. */
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
