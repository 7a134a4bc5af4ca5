import type { CreatedIntent } from './create-intent.ts'
import type { EndpointServer } from './endpoint-server.ts'
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
import { seeEvents } from './steps/see-events.ts'
import { takeOrder } from './steps/take-order.ts'
import type { Service } from './web-and-worker.ts'

/**
 * Runs the whole show. Returns the stage and an unpaid intent.
 * @throws {Error} if a check fails
 */
export async function showAll(
  service: Service,
  endpointServer: EndpointServer,
): Promise<{ stage: Stage; waiting: CreatedIntent }> {
  await awaitService(service)
  const stage = { service, endpointServer, ...(await makeMerchant()) }
  const secret = await registerEndpoint(stage)
  endpointServer.useSecret(secret)
  await createAndCancel(stage, secret)
  await failAndRetry(stage)
  await payByCode(stage)
  const paid = await payOnPage(stage)
  await payOpenAmount(stage)
  await failToPay(stage)
  await refundHalf(stage, paid)
  await takeOrder(stage, await fillShop(stage))
  await seeEvents(stage, secret)
  return { stage, waiting: await leaveOpen(stage) }
}
