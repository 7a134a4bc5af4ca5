import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import { createShop } from './create-shop.ts'

/** This name is visible only to the merchant's developers. */
const sandboxName = 'Sandbox'

/**
 * Checks that the caller has a shop, for operations that only read. Throws SHOP_NOT_FOUND for a live key whose business
 * has no shop. Never throws it for a test key.
 */
export async function requireShop(deps: Pick<Deps, 'Shop'>, caller: Caller): Promise<void> {
  if (!caller.sandbox && !(await hasShop(deps, caller))) throw refuse('SHOP_NOT_FOUND')
}

/**
 * Same as `requireShop`, but for operations that create something. With a test key, the first such operation creates
 * the sandbox's shop (SPEC 8).
 */
export async function openShop(deps: Pick<Deps, 'Shop' | 'now'>, caller: Caller): Promise<void> {
  if (await hasShop(deps, caller)) return
  const { businessId, sandbox } = caller
  if (!sandbox) throw refuse('SHOP_NOT_FOUND')
  await createShop(deps, { businessId, sandbox, name: sandboxName })
}

const hasShop = async (
  deps: Pick<Deps, 'Shop'>,
  { businessId, sandbox }: Pick<Caller, 'businessId' | 'sandbox'>,
): Promise<boolean> => (await deps.Shop.exists({ businessId, sandbox })) !== null
