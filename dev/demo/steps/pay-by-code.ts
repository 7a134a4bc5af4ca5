import { askAgain } from '../ask-for-payment.ts'
import { openPage, sendForm } from '../customer.ts'
import { step, tell } from '../screen.ts'
import { seePaid } from '../see-paid.ts'
import type { Stage } from '../stage.ts'
import { demoWallet } from '../wallet.ts'

/** In person: the customer types the code, then confirms. */
export async function payByCode(stage: Stage): Promise<void> {
  step(8, 'A customer pays at the counter, by the 6-digit code')
  tell('The merchant asks for 125.00 MRU and tells the customer the code of the answer:')
  const teapot = { amount: 12_500, label: 'A teapot', metadata: { order: '1044' } }
  const asked = await askAgain(stage, teapot)
  tell(
    'The customer opens the page where codes are typed. This is what a browser without JavaScript sends and gets; ' +
      'test codes have a page of their own for each business.',
  )
  const counter = await openPage(`${stage.service.origin}/sandbox/${stage.businessId}?lang=en`)
  const bill = await sendForm(counter, { code: asked.code })
  tell(`The code led to the page of the payment. The customer confirms with wallet and PIN:`)
  const { phone, pin } = demoWallet
  const end = await sendForm(bill, { phone, pin })
  await seePaid(stage, asked, teapot.amount, end)
}
