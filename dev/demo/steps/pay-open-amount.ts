import { createIntentBriefly } from '../create-intent.ts'
import { openPage, sendForm } from '../customer.ts'
import { explain, step } from '../screen.ts'
import { seePaid } from '../see-paid.ts'
import type { Stage } from '../stage.ts'
import { demoWallet } from '../wallet.ts'

/** The input of the customer, and the amount in centimes. */
const chosen = { typed: '75.50', amount: 7550 }

/** Shows an OPEN intent: the customer chooses the amount, and confirms it with wallet and PIN. */
export async function payOpenAmount(stage: Stage): Promise<void> {
  step(10, 'A customer chooses the amount, and confirms it with wallet and PIN')
  explain('An OPEN intent has no amount. Its page asks for one first:')
  const gift = { amountType: 'OPEN', label: 'For the school', metadata: { campaign: 'roof' } } as const
  const created = await createIntentBriefly(stage, gift)
  const page = await openPage(`${created.payUrl}?lang=en`)
  const confirmation = await sendForm(page, { amount: chosen.typed })
  const { phone, pin } = demoWallet
  const end = await sendForm(confirmation, { phone, pin })
  await seePaid(stage, created, chosen.amount, end)
}
