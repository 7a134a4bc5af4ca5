import type { Receiver } from './receiver.ts'
import type { Stage } from './stage.ts'
import { createAndCancel } from './steps/create-and-cancel.ts'
import { failAndRetry } from './steps/fail-and-retry.ts'
import { awaitService } from './steps/open.ts'
import { makeMerchant, registerEndpoint } from './steps/register.ts'
import type { Service } from './web-and-worker.ts'

/**
 * The whole show. Answers the stage and the reference of an intent that is still open.
 * @throws {Error} at the first thing that is not as it should be
 */
export async function showAll(
  service: Service,
  receiver: Receiver,
): Promise<{ stage: Stage; reference: string }> {
  await awaitService(service)
  const stage = { service, receiver, key: await makeMerchant() }
  const secret = await registerEndpoint(stage)
  receiver.useSecret(secret)
  await createAndCancel(stage, secret)
  return { stage, reference: await failAndRetry(stage) }
}
