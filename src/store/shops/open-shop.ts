import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import { createShop } from './create-shop.ts'

/** The name of every sandbox's shop. Only the merchant's developers can see this name. */
const sandboxName = 'Sandbox'

/**
 * Checks that the caller has a shop. Throws SHOP_NOT_FOUND if the caller uses a live key and the business has no live
 * shop. With a test key, never throws, because the sandbox's shop is created when it is first needed.
 */
export async function requireShop(deps: Pick<Deps, 'Shop'>, caller: Caller): Promise<void> {
  if (!caller.sandbox && !(await hasShop(deps, caller))) throw refuse('SHOP_NOT_FOUND')
}

/**
 * Like `requireShop`, but for operations that create something. If the caller uses a test key and the sandbox has no
 * shop yet, creates the sandbox's shop (SPEC 8).
 */
export async function openShop(deps: Pick<Deps, 'Shop' | 'AuditEvent' | 'now'>, caller: Caller): Promise<void> {
  if (await hasShop(deps, caller)) return
  const { businessId, sandbox } = caller
  if (!sandbox) throw refuse('SHOP_NOT_FOUND')
  await createShop(deps, { businessId, sandbox, name: sandboxName }, null)
}

const hasShop = async (
  deps: Pick<Deps, 'Shop'>,
  { businessId, sandbox }: Pick<Caller, 'businessId' | 'sandbox'>,
): Promise<boolean> => (await deps.Shop.exists({ businessId, sandbox })) !== null
