import type { Asked } from './ask-for-payment.ts'
import type { Receiver } from './receiver.ts'
import type { Stage } from './stage.ts'
import { createAndCancel } from './steps/create-and-cancel.ts'
import { failAndRetry } from './steps/fail-and-retry.ts'
import { failToPay } from './steps/fail-to-pay.ts'
import { fillShop } from './steps/fill-shop.ts'
import { leaveOpen } from './steps/leave-open.ts'
import { awaitService } from './steps/open.ts'
import { payByCode } from './steps/pay-by-code.ts'
import { payOnPage } from './steps/pay-on-page.ts'
import { payOpenAmount } from './steps/pay-open-amount.ts'
import { refundHalf } from './steps/refund-half.ts'
import { makeMerchant, registerEndpoint } from './steps/register.ts'
import { takeOrder } from './steps/take-order.ts'
import type { Service } from './web-and-worker.ts'

/**
 * The whole show. Answers the stage and an intent that nobody has paid yet.
 * @throws {Error} at the first thing that is not as it should be
 */
export async function showAll(
  service: Service,
  receiver: Receiver,
): Promise<{ stage: Stage; waiting: Asked }> {
  await awaitService(service)
  const stage = { service, receiver, ...(await makeMerchant()) }
  const secret = await registerEndpoint(stage)
  receiver.useSecret(secret)
  await createAndCancel(stage, secret)
  await failAndRetry(stage)
  await payByCode(stage)
  const paid = await payOnPage(stage)
  await payOpenAmount(stage)
  await failToPay(stage)
  await refundHalf(stage, paid)
  await takeOrder(stage, await fillShop(stage))
  return { stage, waiting: await leaveOpen(stage) }
}
